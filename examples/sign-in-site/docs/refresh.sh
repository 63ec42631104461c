#!/bin/sh
# The next pair of tokens for REFRESH_TOKEN, which is used up by it: keep the new one.
curl --fail-with-body -s -u "$CLIENT_ID:$CLIENT_SECRET" \
  -d grant_type=refresh_token --data-urlencode "refresh_token=$REFRESH_TOKEN" \
  "$GATEHOUSE_URL/api/oauth2/token"
