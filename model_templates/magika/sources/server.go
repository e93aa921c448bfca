package main

import (
	"encoding/json"
	"errors"
	"flag"
	"log"
	"net/http"
	"sync"
	"time"
)

type note struct {
	ID      int       `json:"id"`
	Text    string    `json:"text"`
	Created time.Time `json:"created"`
}

type book struct {
	mu    sync.RWMutex
	notes []note
}

func (b *book) add(text string) (note, error) {
	if text == "" {
		return note{}, errors.New("empty note")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	n := note{ID: len(b.notes) + 1, Text: text, Created: time.Now()}
	b.notes = append(b.notes, n)
	return n, nil
}

func (b *book) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		b.mu.RLock()
		defer b.mu.RUnlock()
		_ = json.NewEncoder(w).Encode(b.notes)
	case http.MethodPost:
		n, err := b.add(r.FormValue("text"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(n)
	}
}

func main() {
	addr := flag.String("addr", "127.0.0.1:8090", "address to listen on")
	flag.Parse()
	log.Fatal(http.ListenAndServe(*addr, &book{}))
}
