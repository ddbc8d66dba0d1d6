/** The groups of settings on the admin pages. A setting that no group names is shown with those without an effect. */

import { type SettingName, settingsTable } from '../../../features/instance/settings/settings.ts'
import { t } from '../../../html/sentences.ts'
import type { WordedSetting } from './setting-words.ts'

export interface SettingSection {
  /** Null where the title of the group says it. */
  title: (() => string) | null
  names: readonly SettingName[]
}

export interface SettingGroup {
  key: string
  title: () => string
  sections: readonly SettingSection[]
}

interface NamedGroup extends SettingGroup {
  sections: ReadonlyArray<{ title: (() => string) | null; names: readonly WordedSetting[] }>
}

/** A setting that another one requires is in the same group, so that both are sent together. */
const named: readonly NamedGroup[] = [
  {
    key: 'sign-up',
    title: () => t`Sign-up`,
    sections: [
      {
        title: null,
        names: ['signup_enabled', 'require_admin_approval_after_user_signup', 'send_user_confirmation_email'],
      },
      { title: () => t`Email domains`, names: ['domain_whitelist', 'domain_blacklist_enabled', 'domain_blacklist'] },
      {
        title: () => t`New users`,
        names: ['user_default_external', 'user_default_internal_regex', 'default_projects_limit', 'after_sign_up_text'],
      },
      { title: () => t`Spam`, names: ['spamcheck_enabled', 'spamcheck_api_key'] },
    ],
  },
  {
    key: 'sign-in',
    title: () => t`Sign-in`,
    sections: [
      {
        title: () => t`Passwords`,
        names: ['password_authentication_enabled_for_web', 'password_authentication_enabled_for_git'],
      },
      { title: () => t`Second factor`, names: ['require_two_factor_authentication', 'two_factor_grace_period'] },
      { title: () => t`Applications and providers`, names: ['user_oauth_applications', 'disabled_oauth_sign_in_sources'] },
      { title: () => t`Sessions and pages`, names: ['session_expire_delay', 'home_page_url', 'after_sign_out_path', 'sign_in_text'] },
    ],
  },
  {
    key: 'visibility',
    title: () => t`Visibility`,
    sections: [
      {
        title: null,
        names: ['default_project_visibility', 'default_group_visibility', 'restricted_visibility_levels'],
      },
      { title: () => t`Protection`, names: ['default_branch_protection', 'deletion_adjourned_period'] },
    ],
  },
  {
    key: 'transfer',
    title: () => t`Import and files`,
    sections: [
      { title: null, names: ['import_sources', 'project_export_enabled', 'max_attachment_size'] },
      { title: () => t`Quotas`, names: ['repository_size_limit', 'namespace_storage_size_limit', 'receive_max_input_size'] },
      { title: () => t`Network`, names: ['allow_local_requests_from_hooks_and_services'] },
      { title: () => t`Runners`, names: ['shared_runners_enabled', 'shared_runners_text'] },
    ],
  },
  {
    key: 'git',
    title: () => t`Git and keys`,
    sections: [
      { title: null, names: ['enabled_git_access_protocol'] },
      {
        title: () => t`SSH keys`,
        names: [
          'rsa_key_restriction',
          'dsa_key_restriction',
          'ecdsa_key_restriction',
          'ed25519_key_restriction',
          'authorized_keys_enabled',
        ],
      },
      {
        title: () => t`Housekeeping`,
        names: [
          'housekeeping_enabled',
          'housekeeping_bitmaps_enabled',
          'housekeeping_incremental_repack_period',
          'housekeeping_full_repack_period',
          'housekeeping_gc_period',
        ],
      },
    ],
  },
  {
    key: 'limits',
    title: () => t`Limits`,
    sections: [
      {
        title: () => t`Visitors`,
        names: [
          'throttle_unauthenticated_enabled',
          'throttle_unauthenticated_requests_per_period',
          'throttle_unauthenticated_period_in_seconds',
        ],
      },
      {
        title: () => t`Users and the API`,
        names: [
          'throttle_authenticated_api_enabled',
          'throttle_authenticated_api_requests_per_period',
          'throttle_authenticated_api_period_in_seconds',
        ],
      },
      {
        title: () => t`Users and pages`,
        names: [
          'throttle_authenticated_web_enabled',
          'throttle_authenticated_web_requests_per_period',
          'throttle_authenticated_web_period_in_seconds',
        ],
      },
      {
        title: () => t`Sign-ins`,
        names: [
          'throttle_protected_paths_enabled',
          'throttle_protected_paths_requests_per_period',
          'throttle_protected_paths_period_in_seconds',
          'protected_paths',
        ],
      },
      {
        title: () => t`What people create and read`,
        names: [
          'notes_create_limit',
          'issues_create_limit',
          'pipeline_limit_per_project_user_sha',
          'search_rate_limit',
          'search_rate_limit_unauthenticated',
          'raw_blob_request_limit',
        ],
      },
      { title: () => t`Addresses`, names: ['unique_ips_limit_enabled', 'unique_ips_limit_per_user', 'unique_ips_limit_time_window'] },
      { title: () => t`Others`, names: ['asset_proxy_enabled', 'audit_events_retention_days', 'polling_interval_multiplier'] },
    ],
  },
  {
    key: 'help',
    title: () => t`Help and terms`,
    sections: [{ title: null, names: ['help_page_text', 'help_page_support_url', 'enforce_terms', 'terms'] }],
  },
]

const grouped = new Set<string>(named.flatMap(namesIn))

/** Set through the API, by the path of the group. */
const elsewhere = 'performance_bar_allowed_group_id'

const others = (Object.keys(settingsTable) as SettingName[]).filter((name) => !grouped.has(name) && name !== elsewhere)

export const settingGroups: readonly SettingGroup[] = [
  ...named,
  { key: 'kept', title: () => t`Without effect`, sections: [{ title: null, names: others }] },
]

/** The first group if there is none with this name. */
export function groupNamed(key: string): SettingGroup {
  return settingGroups.find((group) => group.key === key) ?? (settingGroups[0] as SettingGroup)
}

export function namesIn({ sections }: SettingGroup): SettingName[] {
  return sections.flatMap(({ names }) => names)
}
