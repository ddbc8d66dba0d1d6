/** Irker: lines for IRC channels, as JSON to the port of a gateway. */
import { withoutTrailing } from '../../../text/trailing.ts'
import type { Kind, Payload, Settings } from './kind.ts'
import { compareUrl, firstLine, isOn, plural, pushKind, refName, refUrl, short, textOf } from './requests.ts'

const defaultPort = 6_659
const maxCommits = 3

export const irker: Kind = {
  slug: 'irker',
  title: 'Irker (IRC gateway)',
  description: 'Send pushes to IRC channels, by an irker gateway',
  help: 'The gateway asks nobody who they are: run it within a network of your own.',
  group: 'chat',
  fields: [
    { name: 'server_host', title: 'Host', type: 'text', placeholder: 'localhost' },
    { name: 'server_port', title: 'Port', type: 'number', placeholder: String(defaultPort) },
    { name: 'default_irc_uri', title: 'Default IRC URI', type: 'text', placeholder: 'irc://irc.network.net:6697/' },
    {
      name: 'recipients',
      title: 'Recipients',
      type: 'textarea',
      required: true,
      help: 'Channels, separated by whitespace: irc://irc.network.net/channel, or names with a default URI.',
    },
    { name: 'colorize_messages', title: 'Colorize messages', type: 'checkbox' },
  ],
  events: ['push_events'],
  *act(payload, settings) {
    const to = recipientsOf(settings)
    if (to.length === 0) return
    const lines = linesOf(payload, isOn(settings, 'colorize_messages') ? ircColors : noColors)
    const port = Number(settings.server_port ?? defaultPort)
    yield {
      host: textOf(settings, 'server_host') || 'localhost',
      port: Number.isInteger(port) && port > 0 && port < 65_536 ? port : defaultPort,
      lines: lines.map((privmsg) => JSON.stringify({ to, privmsg })),
    }
  },
}

function recipientsOf(settings: Settings): string[] {
  const base = textOf(settings, 'default_irc_uri')
  return textOf(settings, 'recipients')
    .split(/\s+/)
    .flatMap((name) => {
      const uri = /^ircs?:\/\//.test(name) ? name : `${withoutTrailing(base, '/')}/${name}`
      return /^ircs?:\/\/[^/\s]+\/\S+$/.test(uri) ? [uri] : []
    })
}

const ircColors = { repository: '\x0304', branch: '\x0305', url: '\x0302\x1f', sha: '\x0314', count: '\x02', files: '\x0312', end: '\x0f' }
const noColors: typeof ircColors = { repository: '', branch: '', url: '', sha: '', count: '', files: '', end: '' }

function linesOf(payload: Payload, colors: typeof ircColors): string[] {
  const paint = (color: Exclude<keyof typeof ircColors, 'end'>, text: string) => `${colors[color]}${text}${colors.end}`
  const { project, user_name, commits = [], total_commits_count = 0 } = payload
  const name = paint('repository', project.name)
  const branch = paint('branch', refName(payload.ref))
  const kind = pushKind(payload)
  if (kind === 'removed') return [`[${name}] ${user_name} has deleted the branch ${branch}`]
  const lines =
    kind === 'new' ? [`[${name}] ${user_name} has created a new branch ${branch}: ${paint('url', `${project.web_url}/branches`)}`] : []
  if (total_commits_count === 0) return lines
  const counted = `${paint('count', String(total_commits_count))} new ${total_commits_count === 1 ? 'commit' : 'commits'}`
  const where = kind === 'new' ? refUrl(payload) : compareUrl(payload)
  lines.push(`[${name}] ${user_name} pushed ${counted} to ${branch}: ${paint('url', where)}`)
  for (const { id, author, message, added = [], modified = [], removed = [] } of commits.slice(0, maxCommits)) {
    const files = paint('files', plural(added.length + modified.length + removed.length, 'file'))
    lines.push(`${name}/${branch} ${paint('sha', short(id))} ${author.name} (${files}): ${firstLine(message)}`)
  }
  return lines
}
