export interface Item {
  readonly sku: string;
  readonly title: string;
  readonly priceCents: number;
}

export type Discount = { kind: 'percent'; value: number } | { kind: 'fixed'; cents: number };

export class Cart {
  private readonly lines = new Map<string, { item: Item; quantity: number }>();

  add(item: Item, quantity: number = 1): this {
    const line = this.lines.get(item.sku);
    this.lines.set(item.sku, { item, quantity: (line?.quantity ?? 0) + quantity });
    return this;
  }

  remove(sku: string): boolean {
    return this.lines.delete(sku);
  }

  total(discounts: readonly Discount[] = []): number {
    let sum: number = 0;
    for (const { item, quantity } of this.lines.values()) {
      sum += item.priceCents * quantity;
    }
    return discounts.reduce((left: number, discount: Discount): number => {
      switch (discount.kind) {
        case 'percent':
          return Math.round(left * (1 - discount.value / 100));
        case 'fixed':
          return Math.max(0, left - discount.cents);
      }
    }, sum);
  }
}

export function asPrice(cents: number, currency: string = 'EUR'): string {
  return new Intl.NumberFormat('en-IE', { style: 'currency', currency }).format(cents / 100);
}
