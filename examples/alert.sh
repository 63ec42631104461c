#!/bin/sh
# Posts a message through an incoming webhook of Gatehouse.
#
#   export WEBHOOK_URL=https://chat.example.org/api/webhooks/ID/TOKEN
#   ./alert.sh "Backup of $(hostname) is done"
#   df -h / | ./alert.sh "Disk of $(hostname)"
#
# WEBHOOK_NAME gives the message a sender's name of its own. The exit status is 0 where the message was taken.
# Needs curl.
set -eu

: "${WEBHOOK_URL:?set WEBHOOK_URL to the address of the webhook}"

# A message has at most 2000 characters. Bytes are counted here, which are never fewer.
limit=2000

text=$*
if [ ! -t 0 ]; then
  piped=$(cat)
  if [ -n "$piped" ]; then
    room=$((limit - $(printf %s "$text" | wc -c) - 12))
    [ "$room" -gt 0 ] || room=1
    if [ "$(printf %s "$piped" | wc -c)" -gt "$room" ]; then
      # What is left of a character that was cut in two is dropped.
      piped="$(printf %s "$piped" | head -c "$room" | iconv -c -f UTF-8 -t UTF-8 || :)…"
    fi
    # Below the words, and as it is.
    text=$(printf '%s\n```\n%s\n```' "$text" "$piped")
  fi
fi

# A form needs no quoting. --retry waits as long as Retry-After says.
exec curl --silent --show-error --fail-with-body --retry 3 \
  --data-urlencode "content=$text" \
  --data-urlencode "username=${WEBHOOK_NAME:-}" \
  "$WEBHOOK_URL"
