<?php

declare(strict_types=1);

namespace Example\Guestbook;

use DateTimeImmutable;
use PDO;

final class Guestbook
{
    public function __construct(private PDO $database)
    {
        $this->database->exec(
            'CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY, author TEXT, words TEXT, at TEXT)'
        );
    }

    public function sign(string $author, string $words): void
    {
        $statement = $this->database->prepare('INSERT INTO entries (author, words, at) VALUES (?, ?, ?)');
        $statement->execute([$author, $words, (new DateTimeImmutable())->format(DATE_ATOM)]);
    }

    /** @return array<int, array{author: string, words: string, at: string}> */
    public function latest(int $count = 10): array
    {
        $statement = $this->database->prepare('SELECT author, words, at FROM entries ORDER BY id DESC LIMIT ?');
        $statement->bindValue(1, $count, PDO::PARAM_INT);
        $statement->execute();

        return $statement->fetchAll(PDO::FETCH_ASSOC);
    }
}

$book = new Guestbook(new PDO('sqlite::memory:'));
if ($_SERVER['REQUEST_METHOD'] === 'POST') {
    $book->sign($_POST['author'] ?? 'nobody', $_POST['words'] ?? '');
}
foreach ($book->latest() as $entry) {
    echo '<p>' . htmlspecialchars($entry['author']) . ': ' . htmlspecialchars($entry['words']) . "</p>\n";
}
