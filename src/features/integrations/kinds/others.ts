/** Kinds that don't act on events: external wikis, slash commands, monitoring, clusters. */
import type { Field, Kind } from './kind.ts'

export const externalWiki: Kind = {
  slug: 'external-wiki',
  title: 'External wiki',
  description: 'Replace the link to the wiki of the project by one to a wiki elsewhere',
  group: 'other',
  fields: [{ name: 'external_wiki_url', title: 'URL of the wiki', type: 'text', required: true, isUrl: true }],
  events: [],
}

const commandHelp = (slug: string) =>
  `Let the chat send the command to /api/v4/projects/:id/services/${slug}/trigger of this server, with the number of the project. The token is the one that the chat shows for it.`
const token: Field = { name: 'token', title: 'Token', type: 'text', required: true, secret: true }

export const slackSlashCommands: Kind = {
  slug: 'slack-slash-commands',
  title: 'Slack slash commands',
  description: 'Show, create, find and move issues, and deploy, from Slack',
  help: commandHelp('slack_slash_commands'),
  group: 'chat',
  fields: [token],
  events: [],
}

export const mattermostSlashCommands: Kind = {
  ...slackSlashCommands,
  slug: 'mattermost-slash-commands',
  help: commandHelp('mattermost_slash_commands'),
  title: 'Mattermost slash commands',
  description: 'Show, create, find and move issues, and deploy, from Mattermost',
}

export const prometheus: Kind = {
  slug: 'prometheus',
  title: 'Prometheus',
  description: 'Query the metrics of a Prometheus server',
  group: 'other',
  fields: [{ name: 'api_url', title: 'API URL', type: 'text', required: true, isUrl: true, placeholder: 'https://prometheus.example.com' }],
  events: [],
}

/** Deprecated: its endpoints only answer while it is active, and only its form or a template activates it. */
export const kubernetes: Kind = {
  slug: 'kubernetes',
  title: 'Kubernetes',
  description: 'Keep the address and the token of a cluster (deprecated)',
  group: 'other',
  fields: [
    { name: 'namespace', title: 'Namespace', type: 'text', required: true },
    { name: 'api_url', title: 'API URL', type: 'text', required: true, isUrl: true, placeholder: 'https://kubernetes.example.com' },
    { name: 'token', title: 'Service token', type: 'text', required: true, secret: true },
    { name: 'ca_pem', title: 'CA certificate', type: 'textarea', placeholder: 'PEM' },
  ],
  events: [],
}
