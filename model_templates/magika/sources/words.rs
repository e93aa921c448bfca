use std::collections::BTreeMap;
use std::env;
use std::fs::File;
use std::io::{self, BufRead, BufReader};

#[derive(Debug, Default)]
struct Counter {
    counts: BTreeMap<String, usize>,
}

impl Counter {
    fn feed(&mut self, line: &str) {
        for word in line.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()) {
            *self.counts.entry(word.to_lowercase()).or_insert(0) += 1;
        }
    }

    fn top(&self, n: usize) -> Vec<(&String, &usize)> {
        let mut all: Vec<_> = self.counts.iter().collect();
        all.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        all.truncate(n);
        all
    }
}

fn main() -> io::Result<()> {
    let mut counter = Counter::default();
    for path in env::args().skip(1) {
        let file = BufReader::new(File::open(&path)?);
        for line in file.lines() {
            counter.feed(&line?);
        }
    }
    for (word, count) in counter.top(10) {
        println!("{count:>6} {word}");
    }
    Ok(())
}
