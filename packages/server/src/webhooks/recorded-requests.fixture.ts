/** A request of another program, byte for byte. */
export interface RecordedRequest {
  program: string
  suffix: '' | '/slack'
  contentType: string
  body: string
}

/** Recorded from the Debian packages prometheus-alertmanager 0.25.0 and apprise 1.2.0. */
export const recordedRequests: readonly RecordedRequest[] = [
  {
    program: 'alertmanager, firing',
    suffix: '',
    contentType: 'application/json',
    body: '{"content":"","embeds":[{"title":"[FIRING:1] DiskFull (db1 critical)","description":"\\n\\nAlerts Firing:\\nLabels:\\n - alertname = DiskFull\\n - instance = db1\\n - severity = critical\\nAnnotations:\\n - summary = Disk is 97% full\\nSource: http://prometheus:9090/graph\\n\\n\\n\\n","color":10038562}]}\n',
  },
  {
    program: 'alertmanager, firing, for Slack',
    suffix: '/slack',
    contentType: 'application/json',
    body: '{"channel":"#alerts","username":"Alertmanager","attachments":[{"title":"[FIRING:1] DiskFull (db1 critical)","title_link":"http://alertmanager:9093/#/alerts?receiver=both","text":"","fallback":"[FIRING:1] DiskFull (db1 critical) | http://alertmanager:9093/#/alerts?receiver=both","callback_id":"","fields":[{"title":"Severity","value":"critical","short":true}],"actions":[{"type":"button","text":"Runbook","url":"https://runbooks.example/x"}],"footer":"","color":"danger","mrkdwn_in":["fallback","pretext","text"]}]}\n',
  },
  {
    program: 'alertmanager, resolved',
    suffix: '',
    contentType: 'application/json',
    body: '{"content":"","embeds":[{"title":"[RESOLVED] DiskFull (db1 critical)","description":"\\n\\n\\nAlerts Resolved:\\nLabels:\\n - alertname = DiskFull\\n - instance = db1\\n - severity = critical\\nAnnotations:\\n - summary = Disk is 97% full\\nSource: \\n\\n\\n","color":3066993}]}\n',
  },
  {
    program: 'alertmanager, resolved, for Slack',
    suffix: '/slack',
    contentType: 'application/json',
    body: '{"channel":"#alerts","username":"Alertmanager","attachments":[{"title":"[RESOLVED] DiskFull (db1 critical)","title_link":"http://alertmanager:9093/#/alerts?receiver=both","text":"","fallback":"[RESOLVED] DiskFull (db1 critical) | http://alertmanager:9093/#/alerts?receiver=both","callback_id":"","fields":[{"title":"Severity","value":"critical","short":true}],"actions":[{"type":"button","text":"Runbook","url":"https://runbooks.example/x"}],"footer":"","color":"good","mrkdwn_in":["fallback","pretext","text"]}]}\n',
  },
  {
    program: 'apprise, text',
    suffix: '',
    contentType: 'application/json; charset=utf-8',
    body: '{"tts": false, "wait": true, "content": "Backup failed\\r\\nThe disk of db1 is full.", "avatar_url": "https://github.com/caronc/apprise/raw/master/apprise/assets/themes/default/apprise-failure-256x256.png"}',
  },
  {
    program: 'apprise, Markdown',
    suffix: '',
    contentType: 'application/json; charset=utf-8',
    body: '{"tts": false, "wait": true, "content": "# Heading\\r\\n## Part one\\nText of *one*.\\n\\n## Part two\\nText of two.", "avatar_url": "https://github.com/caronc/apprise/raw/master/apprise/assets/themes/default/apprise-success-256x256.png"}',
  },
  {
    program: 'apprise, an embed with fields',
    suffix: '',
    contentType: 'application/json; charset=utf-8',
    body: '{"tts": false, "wait": true, "embeds": [{"author": {"name": "Apprise", "url": "https://github.com/caronc/apprise"}, "title": "Report", "description": "Intro", "color": 13291305, "footer": {"text": "Apprise Notifications", "icon_url": "https://github.com/caronc/apprise/raw/master/apprise/assets/themes/default/apprise-logo.png"}, "fields": [{"name": "Part one", "value": "```md\\nText of *one*.\\n```"}, {"name": "Part two", "value": "```md\\nText of two.\\n```"}]}], "avatar_url": "https://github.com/caronc/apprise/raw/master/apprise/assets/themes/default/apprise-warning-256x256.png"}',
  },
  {
    program: 'apprise, a file',
    suffix: '',
    contentType: 'multipart/form-data; boundary=30069c8d00bb8cbd0dcef0df16303f43',
    body: '--30069c8d00bb8cbd0dcef0df16303f43\r\nContent-Disposition: form-data; name="tts"\r\n\r\nFalse\r\n--30069c8d00bb8cbd0dcef0df16303f43\r\nContent-Disposition: form-data; name="wait"\r\n\r\nTrue\r\n--30069c8d00bb8cbd0dcef0df16303f43\r\nContent-Disposition: form-data; name="avatar_url"\r\n\r\nhttps://github.com/caronc/apprise/raw/master/apprise/assets/themes/default/apprise-info-256x256.png\r\n--30069c8d00bb8cbd0dcef0df16303f43\r\nContent-Disposition: form-data; name="file"; filename="x.txt"\r\n\r\nx\r\n--30069c8d00bb8cbd0dcef0df16303f43--\r\n',
  },
  {
    program: 'apprise, for Slack',
    suffix: '/slack',
    contentType: 'application/json; charset=utf-8',
    body: '{"username": "Apprise", "mrkdwn": true, "attachments": [{"title": "Backup failed", "text": "The disk of &lt;db1&gt; is *full*.", "color": "#A32037", "ts": 1795253606.424167, "footer_icon": "https://github.com/caronc/apprise/raw/master/apprise/assets/themes/default/apprise-failure-72x72.png", "footer": "Apprise"}], "icon_url": "https://github.com/caronc/apprise/raw/master/apprise/assets/themes/default/apprise-failure-72x72.png", "channel": "#general"}',
  },
  {
    program: 'apprise, blocks for Slack',
    suffix: '/slack',
    contentType: 'application/json; charset=utf-8',
    body: '{"username": "Apprise", "attachments": [{"blocks": [{"type": "header", "text": {"type": "plain_text", "text": "Backup failed", "emoji": true}}, {"type": "section", "text": {"type": "mrkdwn", "text": "The disk of db1 is full."}}, {"type": "context", "elements": [{"type": "image", "image_url": "https://github.com/caronc/apprise/raw/master/apprise/assets/themes/default/apprise-warning-72x72.png", "alt_text": "warning"}, {"type": "mrkdwn", "text": "Apprise"}]}], "color": "#CACF29"}], "icon_url": "https://github.com/caronc/apprise/raw/master/apprise/assets/themes/default/apprise-warning-72x72.png", "channel": "#general"}',
  },
]
