/** Labels and hints of settings on the pages of administration. The API and its documentation have names of their own. */

import type { SettingName } from '../../../features/instance/settings/settings.ts'
import { translated } from '../../../html/sentences.ts'
import { visibilityNames } from '../../frame/levels.ts'

export interface SettingWords {
  label: string
  /** Explains the effect, if the label doesn't. */
  hint?: string
  /** Labels of its values; an empty value stands for null. */
  options?: Readonly<Record<string, string>>
}

const rsaSizes = {
  '0': 'Any size',
  '1024': 'At least 1024 bits',
  '2048': 'At least 2048 bits',
  '3072': 'At least 3072 bits',
  '4096': 'At least 4096 bits',
  '-1': 'Not allowed',
}
const dsaSizes = {
  '0': 'Any size',
  '1024': 'At least 1024 bits',
  '2048': 'At least 2048 bits',
  '3072': 'At least 3072 bits',
  '-1': 'Not allowed',
}
const ecdsaSizes = {
  '0': 'Any size',
  '256': 'At least 256 bits',
  '384': 'At least 384 bits',
  '521': 'At least 521 bits',
  '-1': 'Not allowed',
}
const ed25519Sizes = { '0': 'Any size', '256': 'At least 256 bits', '-1': 'Not allowed' }

const people = translated({
  signup_enabled: { label: 'Anyone can sign up' },
  spamcheck_enabled: {
    label: 'Check public texts for spam',
    hint: 'Public issues and snippets are shown to a service, with the address of who writes them.',
  },
  spamcheck_api_key: { label: 'Key of the spam check', hint: 'Of Akismet, or of the service that the server is set up for.' },
  require_admin_approval_after_user_signup: {
    label: 'Approve sign-ups',
    hint: 'New accounts wait until an administrator approves them.',
  },
  send_user_confirmation_email: {
    label: 'Confirm email addresses',
    hint: 'New users follow a link in a message. Where no mail is sent, an administrator confirms them.',
  },
  domain_whitelist: {
    label: 'Allowed email domains',
    hint: 'Only addresses of these domains can sign up; empty for all. *.example.com stands for all domains below example.com.',
  },
  domain_blacklist_enabled: { label: 'Refuse some email domains', hint: 'Addresses of the domains below can’t sign up.' },
  domain_blacklist: { label: 'Refused email domains' },
  user_default_external: {
    label: 'New users are external',
    hint: 'External users only see public projects and those they are members of.',
  },
  user_default_internal_regex: {
    label: 'Email addresses of internal users',
    hint: 'A regular expression. New users with such an address are not external.',
  },
  default_projects_limit: { label: 'Personal projects of a new user', hint: 'How many they may create under their own name.' },
  after_sign_up_text: { label: 'Text after signing up', hint: 'Markdown.' },
  password_authentication_enabled_for_web: {
    label: 'Sign in with a password',
    hint: 'Without it, users sign in by a provider, a directory or a passkey.',
  },
  password_authentication_enabled_for_git: {
    label: 'Git over HTTP with a password',
    hint: 'Without it, git asks for an access token. Tokens always work.',
  },
  disabled_oauth_sign_in_sources: {
    label: 'Providers that are turned off',
    hint: 'Nobody signs in by these OpenID Connect providers, by their names in the configuration.',
  },
  session_expire_delay: { label: 'End of idle sessions', hint: 'Minutes without a request. Applies to sessions that begin from now on.' },
  require_two_factor_authentication: { label: 'Require a second factor', hint: 'Everybody sets one up: an app, or a passkey.' },
  two_factor_grace_period: { label: 'Time to set it up', hint: 'Hours after the first sign-in.' },
  user_oauth_applications: {
    label: 'Users register OAuth applications',
    hint: 'Without it, only administrators register applications.',
  },
  home_page_url: { label: 'Home page', hint: 'Visitors are sent to this URL instead of the front page.' },
  after_sign_out_path: { label: 'Page after signing out', hint: 'A path such as /explore, or a URL.' },
  sign_in_text: { label: 'Text for visitors', hint: 'On the sign-in page and the front page. Markdown.' },
} satisfies Partial<Record<SettingName, SettingWords>>)

const spaces = translated({
  default_project_visibility: { label: 'Visibility of new projects', options: visibilityNames },
  default_group_visibility: { label: 'Visibility of new groups', options: visibilityNames },
  restricted_visibility_levels: {
    label: 'For administrators only',
    hint: 'Other users can’t choose these levels.',
    options: visibilityNames,
  },
  default_branch_protection: {
    label: 'Protection of new default branches',
    options: {
      '0': 'None: developers push, also by force',
      '1': 'Partial: developers push, but not by force',
      '3': 'Developers merge, maintainers push',
      '2': 'Full: only maintainers push and merge',
    },
  },
  deletion_adjourned_period: {
    label: 'Time to restore what was deleted',
    hint: 'Days for which deleted projects and groups can be restored. 0 deletes them at once.',
  },
  import_sources: {
    label: 'Import projects from',
    options: {
      git: 'Repository by URL',
      gitlab_project: 'Project archive',
      github: 'GitHub (not available)',
      bitbucket: 'Bitbucket (not available)',
      gitlab: 'GitLab (not available)',
      google_code: 'Google Code (not available)',
      fogbugz: 'FogBugz (not available)',
      manifest: 'Manifest file (not available)',
    },
  },
  project_export_enabled: { label: 'Export projects', hint: 'Maintainers download their project as an archive.' },
  allow_local_requests_from_hooks_and_services: {
    label: 'Requests into the local network',
    hint: 'Webhooks, imports, mirrors and integrations of users reach private addresses. Turn it on only if all users are trusted.',
  },
  repository_size_limit: { label: 'Largest repository', hint: 'With its large files, in MB. 0 for no limit.' },
  namespace_storage_size_limit: { label: 'Storage of a user or group', hint: 'Of everything in it, in MB. 0 for no limit.' },
  receive_max_input_size: { label: 'Largest push', hint: 'In MB. Empty for no limit.' },
  max_attachment_size: { label: 'Largest attachment', hint: 'In MB.' },
  shared_runners_enabled: { label: 'Instance runners for new projects', hint: 'Their jobs run on the runners of the instance.' },
  shared_runners_text: { label: 'Text beside instance runners', hint: 'Markdown. It is stored, and not shown yet.' },
} satisfies Partial<Record<SettingName, SettingWords>>)

const git = translated({
  enabled_git_access_protocol: {
    label: 'Git over',
    options: { '': 'SSH and HTTP', ssh: 'SSH only', http: 'HTTP only' },
  },
  rsa_key_restriction: { label: 'RSA keys', options: rsaSizes },
  dsa_key_restriction: { label: 'DSA keys', options: dsaSizes },
  ecdsa_key_restriction: { label: 'ECDSA keys', options: ecdsaSizes },
  ed25519_key_restriction: { label: 'Ed25519 keys', options: ed25519Sizes },
  authorized_keys_enabled: {
    label: 'Write a file for OpenSSH',
    hint: 'Keeps authorized_keys up to date. Without it, OpenSSH has to ask the server for each key.',
  },
  housekeeping_enabled: { label: 'Housekeeping', hint: 'Repacks repositories after pushes, so that they stay small and fast.' },
  housekeeping_bitmaps_enabled: { label: 'Write bitmaps', hint: 'They speed up clones.' },
  housekeeping_incremental_repack_period: { label: 'Pushes between small repacks', hint: 'Empty: when needed.' },
  housekeeping_full_repack_period: { label: 'Pushes between full repacks', hint: 'Empty: when needed.' },
  housekeeping_gc_period: { label: 'Pushes between removals of lost objects', hint: 'Empty: when needed.' },
} satisfies Partial<Record<SettingName, SettingWords>>)

const limits = translated({
  throttle_unauthenticated_enabled: { label: 'Limit visitors', hint: 'Requests of an address that isn’t signed in.' },
  throttle_unauthenticated_requests_per_period: { label: 'Requests of visitors' },
  throttle_unauthenticated_period_in_seconds: { label: 'Period for visitors', hint: 'In seconds.' },
  throttle_authenticated_api_enabled: { label: 'Limit the API', hint: 'Requests of a user to the API.' },
  throttle_authenticated_api_requests_per_period: { label: 'Requests to the API' },
  throttle_authenticated_api_period_in_seconds: { label: 'Period for the API', hint: 'In seconds.' },
  throttle_authenticated_web_enabled: { label: 'Limit pages', hint: 'Requests of a user to pages.' },
  throttle_authenticated_web_requests_per_period: { label: 'Requests to pages' },
  throttle_authenticated_web_period_in_seconds: { label: 'Period for pages', hint: 'In seconds.' },
  throttle_protected_paths_enabled: {
    label: 'Limit sign-ins',
    hint: 'What is sent to the paths below, by user or address: passwords can’t be guessed quickly.',
  },
  throttle_protected_paths_requests_per_period: { label: 'Tries to sign in' },
  throttle_protected_paths_period_in_seconds: { label: 'Period for sign-ins', hint: 'In seconds.' },
  protected_paths: { label: 'Paths of sign-ins', hint: 'A path that begins like one of these is limited.' },
  raw_blob_request_limit: { label: 'Downloads of one raw file', hint: 'A minute, by all callers together. 0 sets no limit.' },
  notes_create_limit: { label: 'Comments of a user', hint: 'A minute. 0 sets no limit.' },
  issues_create_limit: { label: 'New issues of a user', hint: 'A minute. 0 sets no limit.' },
  pipeline_limit_per_project_user_sha: { label: 'Pipelines of a user for one commit', hint: 'A minute. 0 sets no limit.' },
  search_rate_limit: { label: 'Searches of a user', hint: 'A minute. 0 sets no limit.' },
  search_rate_limit_unauthenticated: { label: 'Searches of a visitor', hint: 'A minute, by address. 0 sets no limit.' },
  unique_ips_limit_enabled: { label: 'Limit addresses of a user', hint: 'An account that is used from many places at once is refused.' },
  unique_ips_limit_per_user: { label: 'IP addresses of a user' },
  unique_ips_limit_time_window: { label: 'Period for addresses', hint: 'In seconds.' },
  asset_proxy_enabled: {
    label: 'Load pictures of other hosts',
    hint: 'Those in texts come through this server, so that other hosts don’t learn who reads. Otherwise they are links.',
  },
  audit_events_retention_days: { label: 'Keep the audit log for', hint: 'Days. 0 keeps it for ever.' },
  polling_interval_multiplier: {
    label: 'Slow down polling',
    hint: 'Clients that poll wait this many times longer. 0 asks them not to poll.',
  },
} satisfies Partial<Record<SettingName, SettingWords>>)

const help = translated({
  help_page_text: { label: 'Text of the help page', hint: 'Markdown.' },
  help_page_support_url: { label: 'Link to support', hint: 'On the help page.' },
  enforce_terms: { label: 'Require terms of service', hint: 'Users accept the terms below before they go on.' },
  terms: { label: 'Terms of service', hint: 'Markdown. When they change, everybody accepts them again.' },
} satisfies Partial<Record<SettingName, SettingWords>>)

export const settingWords = translated({ ...people, ...spaces, ...git, ...limits, ...help })

export type WordedSetting = keyof typeof settingWords

/** Settings without an effect have no words of their own: those of their documentation stand for them. */
export function wordsOf(name: SettingName, meaning: string): SettingWords {
  const own: Partial<Record<SettingName, SettingWords>> = settingWords
  return own[name] ?? { label: spelled(name), hint: `${meaning.replaceAll('`', '').replace(/\.$/, '')}.` }
}

const acronyms = new Map(['api', 'url', 'ssh', 'dsn', 'id', 'html'].map((word) => [word, word.toUpperCase()]))

function spelled(name: string): string {
  const words = name
    .split('_')
    .map((word) => acronyms.get(word) ?? word)
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
