import type { Context } from 'koa'
import { escapeHtml } from '../../../kernel/web/html.ts'
import { httpRoute, privateHeaders } from '../../../kernel/web/http-route.ts'
import { listMessageFiles, type MessageFile, type ParsedMessageFile, readMessageFile } from './message-files.ts'

/** Content of the messages is untrusted, so it is shown in a sandbox without scripts, external resources and navigation. */
export const devMailRoutes = [
  httpRoute('/dev/mail/:file?', {
    area: { sandbox: '' },
    isForOwnHosts: true,
    summary: 'The messages that were written to files, and each of them. Only with `DEV_MAIL=on`.',
    methods: ['GET'],
    otherMethods: 404,
    headers: {
      ...privateHeaders,
      'Content-Security-Policy':
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'; frame-ancestors 'none'",
    },
    limiter: 'visitors',
    async handle({ http, params }, { mailFolder }: { readonly mailFolder: string | undefined }) {
      if (mailFolder === undefined) return
      if (!params.file) return page(http, 'Messages', listHtml(await listMessageFiles(mailFolder)))
      const message = await readMessageFile(mailFolder, decodeName(params.file))
      if (!message) return page(http, 'Message not found', '', 404)
      page(http, message.subject, messageHtml(message))
    },
  }),
]

function listHtml(messages: readonly MessageFile[]): string {
  if (messages.length === 0) return '<p>No messages yet.</p>'
  const rows = messages.map(
    ({ name, writtenAt, subject, from, to }) => `<tr><td>${writtenAt.toISOString()}</td><td>${escapeHtml(to)}</td>
<td><a href="/dev/mail/${encodeURIComponent(name)}">${escapeHtml(subject) || '(no subject)'}</a></td><td>${escapeHtml(from)}</td></tr>`,
  )
  return `<table><tr><th>Time</th><th>To</th><th>Subject</th><th>From</th></tr>${rows.join('\n')}</table>`
}

function messageHtml({ from, to, headers, html, text }: ParsedMessageFile): string {
  return `<p>From ${escapeHtml(from)}<br>To ${escapeHtml(to)}</p>
<iframe sandbox srcdoc="${escapeHtml(html)}" title="HTML"></iframe>
<h2>Plain text</h2><pre>${escapeHtml(text)}</pre>
<h2>Headers</h2><pre>${escapeHtml(headers.join('\n'))}</pre>
<p><a href="/dev/mail">All messages</a></p>`
}

function page(http: Context, title: string, body: string, status = 200): void {
  http.status = status
  http.type = 'text/html; charset=utf-8'
  http.body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem; color: #222 }
table { border-collapse: collapse } th, td { text-align: left; padding: .3rem 1rem .3rem 0; vertical-align: top }
iframe { width: 100%; height: 60vh; border: 1px solid #ccc } pre { white-space: pre-wrap; overflow-wrap: anywhere }
</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${body}
</body>
</html>
`
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return ''
  }
}
