'use strict';

const { EventEmitter } = require('events');

class JobQueue extends EventEmitter {
  constructor(limit = 4) {
    super();
    this.limit = limit;
    this.running = 0;
    this.waiting = [];
  }

  push(job) {
    return new Promise((resolve, reject) => {
      this.waiting.push({ job, resolve, reject });
      this.next();
    });
  }

  next() {
    while (this.running < this.limit && this.waiting.length > 0) {
      const { job, resolve, reject } = this.waiting.shift();
      this.running += 1;
      Promise.resolve()
        .then(job)
        .then(resolve, reject)
        .finally(() => {
          this.running -= 1;
          this.emit('done', this.waiting.length);
          this.next();
        });
    }
  }
}

module.exports = { JobQueue };

if (require.main === module) {
  const queue = new JobQueue(2);
  queue.on('done', (left) => console.log(`${left} left`));
  for (let i = 0; i < 5; i += 1) {
    queue.push(() => new Promise((resolve) => setTimeout(resolve, 50 * i)));
  }
}
