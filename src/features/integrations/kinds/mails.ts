/** Mail about pushes and pipelines, to addresses that a project configures. */
import { type Html, html } from '../../../html/untranslated.ts'
import type { Field, Kind, MailCall, Payload, PushedCommit, Settings } from './kind.ts'
import { compareUrl, firstLine, isOn, plural, pushKind, refName, refType, refUrl, short, textOf } from './requests.ts'

const maxRecipients = 100

const recipients: Field = {
  name: 'recipients',
  title: 'Recipients',
  type: 'textarea',
  required: true,
  help: `Addresses, separated by whitespace: at most ${maxRecipients}.`,
}
const help = 'Mail is sent once the server has GITSTEAD_SMTP_URL.'

export const emailsOnPush: Kind = {
  slug: 'emails-on-push',
  title: 'Emails on push',
  description: 'Mail the commits of each push',
  help,
  group: 'other',
  fields: [
    recipients,
    { name: 'disable_diffs', title: 'Leave out diffs', type: 'checkbox' },
    {
      name: 'send_from_committer_email',
      title: 'Send from the address of who pushed',
      type: 'checkbox',
      help: 'Only if it is of the domain of this server.',
    },
  ],
  events: ['push_events', 'tag_push_events'],
  *act(payload, settings) {
    const to = recipientsOf(settings)
    if (to.length === 0 || isNothingNew(payload)) return
    const { project, before = '', after = '' } = payload
    const withDiff = payload.object_kind === 'push' && pushKind(payload) === 'moved' && !isOn(settings, 'disable_diffs')
    const diff = withDiff && project.id !== undefined ? (yield { project_id: project.id, from: before, to: after }).body : ''
    yield {
      ...pushMail(payload, diff),
      recipients: to,
      from_user_id: isOn(settings, 'send_from_committer_email') ? (payload.user_id ?? null) : null,
    }
  },
}

export const pipelinesEmail: Kind = {
  slug: 'pipelines-email',
  title: 'Pipeline emails',
  description: 'Mail the status of pipelines',
  help,
  group: 'other',
  fields: [recipients, { name: 'notify_only_broken_pipelines', title: 'Only broken pipelines', type: 'checkbox', default: true }],
  events: ['pipeline_events'],
  *act(payload, settings, { sender }) {
    const to = recipientsOf(settings)
    const status = payload.object_attributes?.status
    const isTold = status === 'failed' || (status === 'success' && !isOn(settings, 'notify_only_broken_pipelines'))
    if (to.length > 0 && payload.object_kind === 'pipeline' && isTold)
      yield { ...pipelineMail(payload, sender), recipients: to, from_user_id: null }
  },
}

/** Invalid addresses are left out. */
function recipientsOf(settings: Settings): string[] {
  const words = textOf(settings, 'recipients').split(/[\s,]+/)
  return [...new Set(words)].filter((word) => /^[^\s@<>"(),:;[\]\\]{1,64}@[^\s@<>"(),:;[\]\\]{1,255}$/.test(word)).slice(0, maxRecipients)
}

function isNothingNew({ before, after }: Payload): boolean {
  return before === after
}

type Written = Omit<MailCall, 'recipients' | 'from_user_id'>

function pushMail(payload: Payload, diff: string): Written {
  const { project, commits = [], total_commits_count = commits.length, user_name = 'Somebody' } = payload
  const kind = pushKind(payload)
  const [what, name] = [refType(payload), refName(payload.ref)]
  const done = { new: 'pushed new', removed: 'deleted', moved: 'pushed to' }[kind]
  const sentence = `${user_name} ${done} ${what} ${name} of ${project.path_with_namespace}`
  const url = kind === 'removed' ? project.web_url : kind === 'moved' ? compareUrl(payload) : refUrl(payload)
  const more = total_commits_count - commits.length
  const moreLine = more > 0 ? `and ${plural(more, 'older commit')}` : ''
  const text = [sentence, url, commits.map(commitText).join('\n\n'), moreLine, diff]
  const body = html`
    <p>${sentence}: <a href="${url}">${url}</a></p>
    ${commits.length > 0 && html`<ul>${commits.map(commitHtml)}</ul>`}
    ${moreLine !== '' && html`<p>${moreLine}</p>`}
    ${diff !== '' && html`<pre>${diff}</pre>`}
  `
  return {
    from_name: user_name,
    subject: pushSubject(payload, `${done.charAt(0).toUpperCase()}${done.slice(1)} ${what} ${name}`),
    text: paragraphs(text),
    html: documentOf(sentence, body),
    headers: { 'X-GitLab-Project': project.name, 'X-GitLab-Project-Path': project.path_with_namespace },
  }
}

/** In the format of the reference, which filters of mail programs rely on. */
function pushSubject(payload: Payload, otherwise: string): string {
  const { project, commits = [], total_commits_count = commits.length } = payload
  const [oldest] = commits
  if (pushKind(payload) !== 'moved' || !oldest) return `[Git][${project.path_with_namespace}] ${otherwise}`
  const counted = total_commits_count > 1 ? `${total_commits_count} commits: ` : ''
  return `[Git][${project.path_with_namespace}][${refName(payload.ref)}] ${counted}${firstLine(oldest.message)}`
}

function commitText({ id, url, message, author, added = [], modified = [], removed = [] }: PushedCommit): string {
  const files = [...added.map((path) => `+ ${path}`), ...modified.map((path) => `  ${path}`), ...removed.map((path) => `- ${path}`)]
  return [`${short(id)} by ${author.name}: ${url}`, message.trimEnd(), ...files].join('\n')
}

function commitHtml({ id, url, message, author }: PushedCommit): Html {
  return html`<li><a href="${url}">${short(id)}</a> by ${author.name}<pre>${message.trimEnd()}</pre></li>`
}

function pipelineMail(payload: Payload, from_name: string): Written {
  const { project, builds = [], commit } = payload
  const { id = 0, ref = '', status, sha = '' } = payload.object_attributes ?? {}
  const isBroken = status === 'failed'
  const url = `${project.web_url}/pipelines/${id}`
  const sentence = `Pipeline #${id} of ${ref} in ${project.path_with_namespace} ${isBroken ? 'has failed' : 'has passed'}`
  const about = commit ? `${short(commit.id)}: ${firstLine(commit.message ?? '')}` : short(sha)
  const failed = builds.filter((job) => job.status === 'failed')
  const jobs = failed.map((job) => ({ name: `${job.stage}: ${job.name}`, url: `${project.web_url}/-/jobs/${job.id}` }))
  const body = html`
    <p>${sentence}: <a href="${url}">${url}</a></p>
    <p>${about}</p>
    ${jobs.length > 0 && html`<p>Jobs that failed:</p><ul>${jobs.map((job) => html`<li><a href="${job.url}">${job.name}</a></li>`)}</ul>`}
  `
  const listed = jobs.length === 0 ? '' : ['Jobs that failed:', ...jobs.map((job) => `- ${job.name} ${job.url}`)].join('\n')
  return {
    from_name,
    subject: `${project.name} | Pipeline #${id} ${isBroken ? 'has failed' : 'has succeeded'} for ${ref} | ${short(sha)}`,
    text: paragraphs([sentence, url, about, listed]),
    html: documentOf(sentence, body),
    headers: {
      'X-GitLab-Project': project.name,
      'X-GitLab-Project-Path': project.path_with_namespace,
      'X-GitLab-Pipeline-Id': String(id),
      'X-GitLab-Pipeline-Ref': ref,
      'X-GitLab-Pipeline-Status': status ?? '',
    },
  }
}

function paragraphs(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function documentOf(title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body>${body}</body>
</html>`.text
}
