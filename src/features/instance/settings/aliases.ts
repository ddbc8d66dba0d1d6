/** Other names under which clients know some settings: those of third parties, older and newer ones. They send them and read them. */
import type { SettingName, Settings } from './settings.service.ts'

export const otherNames = {
  akismet_api_key: 'spamcheck_api_key',
  akismet_enabled: 'spamcheck_enabled',
  clientside_sentry_dsn: 'clientside_errortracker_dsn',
  clientside_sentry_enabled: 'clientside_errortracker_enabled',
  domain_allowlist: 'domain_whitelist',
  domain_allowlist_raw: 'domain_whitelist',
  domain_blacklist_raw: 'domain_blacklist',
  domain_denylist: 'domain_blacklist',
  domain_denylist_enabled: 'domain_blacklist_enabled',
  domain_denylist_raw: 'domain_blacklist',
  domain_whitelist_raw: 'domain_whitelist',
  gitaly_timeout_default: 'storage_timeout_default',
  gitaly_timeout_fast: 'storage_timeout_fast',
  gitaly_timeout_medium: 'storage_timeout_medium',
  gravatar_enabled: 'avatar_service_enabled',
  koding_enabled: 'editor_integration_enabled',
  koding_url: 'editor_integration_url',
  password_authentication_enabled: 'password_authentication_enabled_for_web',
  plantuml_enabled: 'diagram_integration_enabled',
  plantuml_url: 'diagram_integration_url',
  recaptcha_enabled: 'captcha_enabled',
  recaptcha_private_key: 'captcha_private_key',
  recaptcha_site_key: 'captcha_site_key',
  sentry_dsn: 'errortracker_dsn',
  sentry_enabled: 'errortracker_enabled',
  sidekiq_throttling_enabled: 'queue_throttling_enabled',
  sidekiq_throttling_factor: 'queue_throttling_factor',
  sidekiq_throttling_queues: 'queue_throttling_queues',
  signin_enabled: 'password_authentication_enabled_for_web',
} as const satisfies Record<string, SettingName>

export type OtherName = keyof typeof otherNames

/** Whether this name stands for a list as one text, with one item per line. */
export function isJoined(other: OtherName): boolean {
  return other.endsWith('_raw')
}

/** The settings with another name, keyed by it, as clients read them. */
export function repeated(settings: Settings): Record<OtherName, unknown> {
  const read = Object.entries(otherNames).map(([other, name]) => {
    const value = settings[name]
    return [other, Array.isArray(value) && isJoined(other as OtherName) ? value.join('\n') : value]
  })
  return Object.fromEntries(read)
}
