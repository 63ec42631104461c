curl -X PUT "$GATEHOUSE_URL/api/applications/@me/commands" \
  -H "Authorization: Bot $BOT_TOKEN" -H 'Content-Type: application/json' \
  -d '[{"name":"greet","description":"Say hello"}]'
