/** Texts of users in everything that is mailed: as it was typed in the text part, never an element of the HTML part, never a header. */
import { beforeAll, expect, test } from 'vitest'
import { publicKey } from '../../../test/support/fixtures/ssh-keys.ts'
import { type Forge, openForge } from '../../../test/support/forge.ts'
import { git } from '../../../test/support/git.ts'
import { type MailServer, mailServer, type Received } from '../../../test/support/mail-server.ts'
import { createComment } from '../discussion/snippet-comments/snippet-comments.ts'
import { reportAbuse } from '../people/abuse-reports/abuse-reports.ts'

let forge: Forge
let server: MailServer
beforeAll(async () => {
  server = await mailServer()
  forge = await openForge({ config: { mail: server.config } })
})

const element = '<x-evil onclick="alert(1)">'
const hostile = (what: string) => `${what} ${element}<script>alert(1)</script>"'&amp;`

async function told(): Promise<Received[]> {
  await forge.drain()
  // Webhooks, and what integrations send, wait a moment for more of the same.
  await forge.app.db.updateTable('hooks').set({ rests_until: null }).execute()
  await forge.app.db.updateTable('jobs').set({ run_at: '2000-01-01T00:00:00.000Z' }).where('name', '=', 'webhooks.send').execute()
  await forge.drain()
  return server.received.splice(0)
}

/** A text as it must appear in the HTML of a mail. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')

test('names, titles, descriptions, comments, labels, branches, commits, files, jobs, keys and tokens are text in every mail', async () => {
  const [author, reader] = [await forge.user({ name: hostile('Eve') }), await forge.user({ name: hostile('Ron') })]
  const project = await forge.project({ owner: author })
  const at = `/projects/${project.id}`
  await forge.as(author).post(`${at}/members`, { user_id: reader.id, access_level: 30 })
  await forge.as(reader).put('/notification_settings', { level: 'watch' })
  await forge.as(author).put(`${at}/services/emails-on-push`, { recipients: 'list@example.com' })
  await forge.as(author).put(`${at}/services/pipelines-email`, { recipients: 'list@example.com', notify_only_broken_pipelines: false })

  const { body: issue } = await forge.as(author).post(`${at}/issues`, {
    title: hostile('Leak'),
    description: `${hostile('It drips')}\n\n[link](javascript:alert(1)) <img src=x onerror=alert(1)>`,
    labels: hostile('bug').replaceAll(',', ''),
  })
  await forge.as(author).post(`${at}/issues/${issue.iid}/notes`, { body: `${hostile('Still')} \`${element}\`` })
  await forge.as(author).put(`${at}/issues/${issue.iid}`, { assignee_ids: [reader.id] })
  const branch = 'x-<x-evil>&'
  await forge.as(author).post(`${at}/repository/commits`, {
    ...{ branch, start_branch: 'main', commit_message: hostile('Mend') },
    actions: [{ action: 'create', file_path: `<x-evil> & "it".txt`, content: `${element}\n` }],
  })
  const { body: request } = await forge.as(author).post(`${at}/merge_requests`, {
    ...{ source_branch: branch, target_branch: 'main' },
    ...{ title: hostile('Merge'), description: hostile('Please') },
  })
  const oid = await git(project.dir, 'rev-parse', branch)
  await forge.as(author).post(`${at}/repository/commits/${oid}/comments`, { note: hostile('Why') })
  await forge.as(reader).post(`${at}/repository/commits/${oid}/comments`, { note: hostile('So') })
  await forge.as(author).post(`${at}/snippets`, { title: hostile('Hint'), file_name: 'a', code: 'a', visibility: 'private' })
  const own = { title: hostile('Trick'), file_name: 'a', content: 'a', visibility: 'public' }
  const { body: snippet } = await forge.as(reader).post('/snippets', own)
  await createComment(forge.app, author, snippet, hostile('Nice'))
  await forge.as(author).post(`${at}/statuses/${oid}`, { state: 'failed', name: hostile('unit'), ref: branch })
  await forge.as(author).post('/user/keys', { title: hostile('Laptop'), key: publicKey() })
  await forge.as(author).post('/user/personal_access_tokens', { name: hostile('Backup'), scopes: ['api'] })
  await forge.as(author).post(`${at}/invitations`, { email: 'new@example.com', access_level: 30 })
  await reportAbuse(forge.app, reader, author, { category: 'spam', message: hostile('Look'), url: '' })
  await forge.as(author).post(`${at}/merge_requests/${request.iid}/notes`, { body: hostile('Soon') })
  await forge.as(author).put(`${at}/merge_requests/${request.iid}`, { state_event: 'close' })

  const received = await told()
  expect(received.length).toBeGreaterThan(14)
  for (const { to, mail } of received) {
    const [text, html, subject] = [mail.text ?? '', String(mail.html), mail.subject ?? '']
    expect([subject, text.trim() !== '', /<\/html>/.test(html)]).toEqual([subject, true, true])
    expect([subject, /<x-evil|<script|<[^>]*\son\w+=|href="javascript/i.exec(html)]).toEqual([subject, null])
    expect([subject, /&lt;x-evil|&amp;amp;|&#39;/.exec(text)?.[0]]).toEqual([subject, undefined])
    expect([mail.bcc, mail.cc, [mail.to].flat().map((one) => one?.text)]).toEqual([undefined, undefined, [to]])
  }
  const plain: Array<[subject: string, typed: string]> = [
    ['You are a member', project.full_path],
    [`(#${issue.iid})`, hostile('Eve')],
    ['(!1)', hostile('Eve')],
    ['Pipeline #', hostile('unit')],
    ['An SSH key', hostile('Laptop')],
    ['An access token', hostile('Backup')],
    ['was reported', hostile('Look')],
    ['[Git]', hostile('Mend')],
  ]
  for (const [subject, typed] of plain) {
    const found = received.filter(({ mail }) => mail.subject?.includes(subject))
    const holds = found.map(({ mail }) => mail.text?.includes(typed) === true && String(mail.html).includes(escaped(typed)))
    expect([subject, holds]).toEqual([subject, expect.arrayContaining([true])])
  }
})
