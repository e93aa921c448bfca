-- Orders of a small shop.
BEGIN;

CREATE TABLE customers (
    id          INTEGER PRIMARY KEY,
    name        VARCHAR(120) NOT NULL,
    email       VARCHAR(200) UNIQUE,
    created_at  TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE orders (
    id          INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (id) ON DELETE RESTRICT,
    status      VARCHAR(16) NOT NULL CHECK (status IN ('open', 'paid', 'sent')),
    total       NUMERIC(10, 2) NOT NULL
);

CREATE INDEX orders_by_customer ON orders (customer_id, status);

INSERT INTO customers (id, name, email) VALUES
    (1, 'Ada Byron', 'ada@example.org'),
    (2, 'Grace Murray', 'grace@example.org');

INSERT INTO orders (id, customer_id, status, total) VALUES
    (10, 1, 'paid', 34.50),
    (11, 1, 'open', 12.00),
    (12, 2, 'sent', 99.95);

CREATE VIEW revenue AS
SELECT c.name, COUNT(o.id) AS orders, SUM(o.total) AS total
FROM customers AS c
LEFT JOIN orders AS o ON o.customer_id = c.id
WHERE o.status <> 'open'
GROUP BY c.name
HAVING SUM(o.total) > 20
ORDER BY total DESC;

COMMIT;
