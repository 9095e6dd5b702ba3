// A worker of a pull queue: go run worker.go image.resize
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

type claim struct {
	Token string
	Task  struct {
		ID      string
		Payload struct{ Width int }
	}
}

var errRefused = errors.New("the task is cancelled, or another worker's")

func call(path string, body any, answer any) error {
	text, _ := json.Marshal(body)
	request, _ := http.NewRequest("POST", os.Getenv("TICKWHEEL_URL")+path, bytes.NewReader(text))
	request.Header.Set("Authorization", "Bearer "+os.Getenv("TICKWHEEL_KEY"))
	request.Header.Set("Content-Type", "application/json")
	response, err := (&http.Client{Timeout: 20 * time.Second}).Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode == 404 || response.StatusCode == 409 {
		return fmt.Errorf("%s: %s: %w", path, response.Status, errRefused)
	}
	if response.StatusCode != 200 {
		return fmt.Errorf("%s: %s", path, response.Status)
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

// Ends early when ctx is done: longer work asks for that before each step, and gives ctx to each call.
func work(ctx context.Context, c claim) (any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.Task.Payload.Width == 0 {
		return nil, fmt.Errorf("no width")
	}
	return map[string]int{"width": c.Task.Payload.Width / 2}, nil
}

// Extends the lease until ctx is done. A refusal stops the work.
func keep(ctx context.Context, stop context.CancelFunc, token string) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(10 * time.Second):
			err := call("/v1/claims/"+token+"/extend", map[string]int{"leaseMs": 30000}, &struct{}{})
			if errors.Is(err, errRefused) {
				stop()
			} else if err != nil {
				log.Println(err)
			}
		}
	}
}

func main() {
	stopping, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	for stopping.Err() == nil {
		var page struct{ Claims []claim }
		if err := call("/v1/queues/"+os.Args[1]+"/claims", map[string]int{"waitMs": 5000, "leaseMs": 30000}, &page); err != nil {
			log.Println(err)
			time.Sleep(5 * time.Second)
		}
		for _, c := range page.Claims {
			working, stop := context.WithCancel(context.Background())
			go keep(working, stop, c.Token)
			result, err := work(working, c)
			end, body := "complete", map[string]any{"result": result}
			if err != nil && working.Err() != nil {
				end, body = "release", map[string]any{}
			} else if err != nil {
				end, body = "fail", map[string]any{"error": err.Error()}
			}
			stop()
			if err := call("/v1/claims/"+c.Token+"/"+end, body, &struct{}{}); err != nil {
				log.Println(err) // Its lease ends, and another consumer has the task.
			}
		}
	}
}
