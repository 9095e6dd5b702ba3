#!/bin/sh
# A worker of a pull queue: sh worker.sh image.resize. It needs curl and jq.
result=$(mktemp)
stopping=
trap 'stopping=1' TERM
trap 'rm "$result"' EXIT

call() { # path, body
  curl --silent --show-error --fail --max-time 20 --header "Authorization: Bearer $TICKWHEEL_KEY" \
    --json "$2" "$TICKWHEEL_URL$1"
}

work() { # the task, as JSON; a signal ends it
  printf '%s' "$1" | jq --compact-output --exit-status '{ result: { width: (.payload.width / 2 | floor) } }'
}

keep() { # token, the process that works: a refusal ends it, since the task is cancelled, or another worker's
  while sleep 10; do
    problem=$(call "/v1/claims/$1/extend" '{ "leaseMs": 30000 }' 2>&1 >/dev/null) && continue
    case $problem in *" 404"* | *" 409"*) kill "$2" ;; *) echo "$problem" >&2 ;; esac
  done
}

while [ -z "$stopping" ]; do
  claims=$(call "/v1/queues/$1/claims" '{ "waitMs": 5000, "leaseMs": 30000 }') || { sleep 5; continue; }
  token=$(printf '%s' "$claims" | jq --raw-output '.claims[0].token // empty')
  [ -n "$token" ] || continue
  work "$(printf '%s' "$claims" | jq --compact-output '.claims[0].task')" >"$result" &
  working=$!
  keep "$token" $working &
  keeping=$!
  # SIGTERM interrupts `wait`, and the work goes on.
  while :; do wait $working; code=$?; kill -0 $working 2>/dev/null || break; done
  kill $keeping
  case $code in
    0) end=complete body=$(cat "$result") ;;
    143) end=release body='{}' ;;
    *) end=fail body='{ "error": "the work failed" }' ;;
  esac
  call "/v1/claims/$token/$end" "$body" >/dev/null
done
