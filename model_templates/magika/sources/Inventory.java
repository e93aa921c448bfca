package org.example.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Counts of goods by their number. */
public final class Inventory {
    private final Map<String, Integer> counts = new HashMap<>();
    private final List<Runnable> listeners = new ArrayList<>();

    public synchronized void add(String number, int count) {
        Objects.requireNonNull(number, "number");
        if (count < 0) {
            throw new IllegalArgumentException("count is negative: " + count);
        }
        counts.merge(number, count, Integer::sum);
        listeners.forEach(Runnable::run);
    }

    public synchronized boolean take(String number, int count) {
        final int there = counts.getOrDefault(number, 0);
        if (there < count) {
            return false;
        }
        counts.put(number, there - count);
        listeners.forEach(Runnable::run);
        return true;
    }

    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    @Override
    public String toString() {
        return "Inventory" + counts;
    }

    public static void main(String[] args) {
        Inventory inventory = new Inventory();
        inventory.onChange(() -> System.out.println("changed"));
        inventory.add("4711", 12);
        System.out.println(inventory.take("4711", 5) + " " + inventory);
    }
}
