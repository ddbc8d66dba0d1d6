/** Kinds that do not act by events: wikis elsewhere, monitoring, clusters; and mail and slash commands, whose settings are kept alone. */
import type { Field, Kind } from './kind.ts'

const recipients: Field = {
  name: 'recipients',
  title: 'Recipients',
  type: 'textarea',
  required: true,
  placeholder: 'Addresses, separated by whitespace',
}

export const externalWiki: Kind = {
  slug: 'external-wiki',
  title: 'External wiki',
  description: 'Replace the link to the wiki of the project by one to a wiki elsewhere',
  group: 'other',
  fields: [{ name: 'external_wiki_url', title: 'URL of the wiki', type: 'text', required: true, isUrl: true }],
  events: [],
}

export const emailsOnPush: Kind = {
  slug: 'emails-on-push',
  title: 'Emails on push',
  description: 'Mail the commits of each push',
  help: 'This server sends no mail yet: the settings are kept until it does.',
  group: 'other',
  fields: [
    recipients,
    { name: 'disable_diffs', title: 'Leave out diffs', type: 'checkbox' },
    { name: 'send_from_committer_email', title: 'Send from the address of the committer', type: 'checkbox' },
  ],
  events: ['push_events', 'tag_push_events'],
}

export const pipelinesEmail: Kind = {
  slug: 'pipelines-email',
  title: 'Pipeline emails',
  description: 'Mail the status of pipelines',
  help: 'This server sends no mail yet: the settings are kept until it does.',
  group: 'other',
  fields: [recipients, { name: 'notify_only_broken_pipelines', title: 'Only broken pipelines', type: 'checkbox', default: true }],
  events: ['pipeline_events'],
}

const commandHelp = 'This server answers no slash commands yet: the settings are kept until it does.'
const token: Field = { name: 'token', title: 'Token', type: 'text', required: true, secret: true }

export const slackSlashCommands: Kind = {
  slug: 'slack-slash-commands',
  title: 'Slack slash commands',
  description: 'Show, create and find issues from Slack',
  help: commandHelp,
  group: 'chat',
  fields: [token],
  events: [],
}

export const mattermostSlashCommands: Kind = {
  ...slackSlashCommands,
  slug: 'mattermost-slash-commands',
  title: 'Mattermost slash commands',
  description: 'Show, create and find issues from Mattermost',
}

export const prometheus: Kind = {
  slug: 'prometheus',
  title: 'Prometheus',
  description: 'Query the metrics of a Prometheus server',
  group: 'other',
  fields: [{ name: 'api_url', title: 'API URL', type: 'text', required: true, isUrl: true, placeholder: 'https://prometheus.example.com' }],
  events: [],
}

/** Deprecated: its endpoints answer only while it is active, and nothing but its form or a template activates it. */
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
