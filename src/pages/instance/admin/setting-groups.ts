/** The groups of settings on the admin pages. A setting that no group names is shown with those without an effect. */
import { type SettingName, settingsTable } from '../../../features/instance/settings/settings.ts'
import type { WordedSetting } from './setting-words.ts'

export interface SettingSection {
  /** Null where the title of the group says it. */
  title: string | null
  names: readonly SettingName[]
}

export interface SettingGroup {
  key: string
  title: string
  sections: readonly SettingSection[]
}

interface NamedGroup extends SettingGroup {
  sections: ReadonlyArray<{ title: string | null; names: readonly WordedSetting[] }>
}

/** A setting that another one requires is in the same group, so that both are sent together. */
const named: readonly NamedGroup[] = [
  {
    key: 'sign-up',
    title: 'Sign-up',
    sections: [
      {
        title: null,
        names: ['signup_enabled', 'require_admin_approval_after_user_signup', 'send_user_confirmation_email'],
      },
      { title: 'Email domains', names: ['domain_whitelist', 'domain_blacklist_enabled', 'domain_blacklist'] },
      {
        title: 'New users',
        names: ['user_default_external', 'user_default_internal_regex', 'default_projects_limit', 'after_sign_up_text'],
      },
      { title: 'Spam', names: ['spamcheck_enabled', 'spamcheck_api_key'] },
    ],
  },
  {
    key: 'sign-in',
    title: 'Sign-in',
    sections: [
      {
        title: 'Passwords',
        names: ['password_authentication_enabled_for_web', 'password_authentication_enabled_for_git'],
      },
      { title: 'Second factor', names: ['require_two_factor_authentication', 'two_factor_grace_period'] },
      { title: 'Applications and providers', names: ['user_oauth_applications', 'disabled_oauth_sign_in_sources'] },
      { title: 'Sessions and pages', names: ['session_expire_delay', 'home_page_url', 'after_sign_out_path', 'sign_in_text'] },
    ],
  },
  {
    key: 'visibility',
    title: 'Visibility',
    sections: [
      {
        title: null,
        names: ['default_project_visibility', 'default_group_visibility', 'restricted_visibility_levels'],
      },
      { title: 'Protection', names: ['default_branch_protection', 'deletion_adjourned_period'] },
    ],
  },
  {
    key: 'transfer',
    title: 'Import and files',
    sections: [
      { title: null, names: ['import_sources', 'project_export_enabled', 'max_attachment_size'] },
      { title: 'Quotas', names: ['repository_size_limit', 'namespace_storage_size_limit', 'receive_max_input_size'] },
      { title: 'Network', names: ['allow_local_requests_from_hooks_and_services'] },
      { title: 'Runners', names: ['shared_runners_enabled', 'shared_runners_text'] },
    ],
  },
  {
    key: 'git',
    title: 'Git and keys',
    sections: [
      { title: null, names: ['enabled_git_access_protocol'] },
      {
        title: 'SSH keys',
        names: [
          'rsa_key_restriction',
          'dsa_key_restriction',
          'ecdsa_key_restriction',
          'ed25519_key_restriction',
          'authorized_keys_enabled',
        ],
      },
      {
        title: 'Housekeeping',
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
    title: 'Limits',
    sections: [
      {
        title: 'Visitors',
        names: [
          'throttle_unauthenticated_enabled',
          'throttle_unauthenticated_requests_per_period',
          'throttle_unauthenticated_period_in_seconds',
        ],
      },
      {
        title: 'Users and the API',
        names: [
          'throttle_authenticated_api_enabled',
          'throttle_authenticated_api_requests_per_period',
          'throttle_authenticated_api_period_in_seconds',
        ],
      },
      {
        title: 'Users and pages',
        names: [
          'throttle_authenticated_web_enabled',
          'throttle_authenticated_web_requests_per_period',
          'throttle_authenticated_web_period_in_seconds',
        ],
      },
      {
        title: 'Sign-ins',
        names: [
          'throttle_protected_paths_enabled',
          'throttle_protected_paths_requests_per_period',
          'throttle_protected_paths_period_in_seconds',
          'protected_paths',
        ],
      },
      {
        title: 'What people create and read',
        names: [
          'notes_create_limit',
          'issues_create_limit',
          'pipeline_limit_per_project_user_sha',
          'search_rate_limit',
          'search_rate_limit_unauthenticated',
          'raw_blob_request_limit',
        ],
      },
      { title: 'Addresses', names: ['unique_ips_limit_enabled', 'unique_ips_limit_per_user', 'unique_ips_limit_time_window'] },
      { title: 'Others', names: ['asset_proxy_enabled', 'audit_events_retention_days', 'polling_interval_multiplier'] },
    ],
  },
  {
    key: 'help',
    title: 'Help and terms',
    sections: [{ title: null, names: ['help_page_text', 'help_page_support_url', 'enforce_terms', 'terms'] }],
  },
]

const grouped = new Set<string>(named.flatMap(namesIn))

/** Set through the API, by the path of the group. */
const elsewhere = 'performance_bar_allowed_group_id'

const others = (Object.keys(settingsTable) as SettingName[]).filter((name) => !grouped.has(name) && name !== elsewhere)

export const settingGroups: readonly SettingGroup[] = [
  ...named,
  { key: 'kept', title: 'Without effect', sections: [{ title: null, names: others }] },
]

/** The first group if there is none with this name. */
export function groupNamed(key: string): SettingGroup {
  return settingGroups.find((group) => group.key === key) ?? (settingGroups[0] as SettingGroup)
}

export function namesIn({ sections }: SettingGroup): SettingName[] {
  return sections.flatMap(({ names }) => names)
}
