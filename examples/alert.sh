#!/bin/sh
# Posts a message through an incoming webhook of Gatehouse.
#
#   export WEBHOOK_URL=https://chat.example.org/api/webhooks/ID/TOKEN
#   ./alert.sh "Backup of $(hostname) is done"
#   df -h / | ./alert.sh "Disk of $(hostname)"
#
# WEBHOOK_NAME sets the name of the sender. The exit status is 0 if the message was posted. Needs curl.
set -eu

: "${WEBHOOK_URL:?set WEBHOOK_URL to the webhook URL}"

# A message has at most 2000 characters. This counts bytes, which are at least as many.
limit=2000

text=$*
if [ ! -t 0 ]; then
  piped=$(cat)
  if [ -n "$piped" ]; then
    available=$((limit - $(printf %s "$text" | wc -c) - 12))
    [ "$available" -gt 0 ] || available=1
    if [ "$(printf %s "$piped" | wc -c)" -gt "$available" ]; then
      # iconv drops an incomplete character at the end.
      piped="$(printf %s "$piped" | head -c "$available" | iconv -c -f UTF-8 -t UTF-8 || :)…"
    fi
    # The input is shown in a code block below the text.
    text=$(printf '%s\n```\n%s\n```' "$text" "$piped")
  fi
fi

# A form needs no JSON escaping. --retry waits for the time in Retry-After. What curl prints about an attempt is of no
# use if a later one succeeds.
output=$(
  curl --silent --show-error --fail-with-body --retry 3 \
    --data-urlencode "content=$text" \
    --data-urlencode "username=${WEBHOOK_NAME:-}" \
    "$WEBHOOK_URL" 2>&1
) || {
  status=$?
  printf '%s\n' "$output" >&2
  exit "$status"
}
