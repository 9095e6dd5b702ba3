// A worker of a pull queue: go run worker.go image.resize
package main

import (
	"bytes"
	"context"
	"encoding/json"
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
	if response.StatusCode != 200 {
		return fmt.Errorf("%s: %s", path, response.Status)
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

func work(c claim) (any, error) {
	if c.Task.Payload.Width == 0 {
		return nil, fmt.Errorf("no width")
	}
	return map[string]int{"width": c.Task.Payload.Width / 2}, nil
}

func keep(ctx context.Context, token string) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(10 * time.Second):
			call("/v1/claims/"+token+"/extend", map[string]int{"leaseMs": 30000}, &struct{}{})
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
			working, done := context.WithCancel(context.Background())
			go keep(working, c.Token)
			end, body := "complete", map[string]any{}
			if result, err := work(c); err != nil {
				end, body["error"] = "fail", err.Error()
			} else {
				body["result"] = result
			}
			done()
			if err := call("/v1/claims/"+c.Token+"/"+end, body, &struct{}{}); err != nil {
				log.Println(err) // Its lease ends, and another consumer has the task.
			}
		}
	}
}
