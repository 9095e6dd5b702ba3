#!/bin/sh
# A worker of a pull queue: sh worker.sh image.resize. It needs curl and jq.
stopping=
trap 'stopping=1' TERM

call() { # path, body
  curl --silent --show-error --fail --max-time 20 --header "Authorization: Bearer $TICKWHEEL_KEY" \
    --json "$2" "$TICKWHEEL_URL$1"
}

work() { # the task, as JSON
  printf '%s' "$1" | jq --compact-output --exit-status '{ result: { width: (.payload.width / 2 | floor) } }'
}

keep() { # token
  while sleep 10; do call "/v1/claims/$1/extend" '{ "leaseMs": 30000 }' >/dev/null; done
}

while [ -z "$stopping" ]; do
  claims=$(call "/v1/queues/$1/claims" '{ "waitMs": 5000, "leaseMs": 30000 }') || { sleep 5; continue; }
  token=$(printf '%s' "$claims" | jq --raw-output '.claims[0].token // empty')
  [ -n "$token" ] || continue
  keep "$token" &
  if body=$(work "$(printf '%s' "$claims" | jq --compact-output '.claims[0].task')"); then end=complete
  else end=fail body='{ "error": "the work failed" }'; fi
  kill $!
  call "/v1/claims/$token/$end" "$body" >/dev/null
done
