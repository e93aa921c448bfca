#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING_CAPACITY 256u

struct ring {
    unsigned char data[RING_CAPACITY];
    size_t head;
    size_t tail;
};

static size_t ring_used(const struct ring *r)
{
    return (r->head - r->tail) & (RING_CAPACITY - 1u);
}

static bool ring_push(struct ring *r, unsigned char value)
{
    if (ring_used(r) == RING_CAPACITY - 1u)
        return false;
    r->data[r->head] = value;
    r->head = (r->head + 1u) & (RING_CAPACITY - 1u);
    return true;
}

static int ring_pop(struct ring *r)
{
    if (r->head == r->tail)
        return -1;
    int value = r->data[r->tail];
    r->tail = (r->tail + 1u) & (RING_CAPACITY - 1u);
    return value;
}

int main(int argc, char **argv)
{
    struct ring *r = calloc(1, sizeof *r);
    if (r == NULL) {
        perror("calloc");
        return EXIT_FAILURE;
    }
    for (int i = 1; i < argc; i++)
        for (size_t k = 0; k < strlen(argv[i]); k++)
            if (!ring_push(r, (unsigned char)argv[i][k]))
                fprintf(stderr, "ring is full\n");
    for (int c; (c = ring_pop(r)) >= 0;)
        putchar(c);
    putchar('\n');
    free(r);
    return EXIT_SUCCESS;
}
