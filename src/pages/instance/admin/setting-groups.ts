/** The groups of settings on the admin pages. A setting that no group names is shown with those kept for older clients. */
import { type SettingName, settingsTable } from '../../../features/instance/settings/settings.ts'

export interface SettingGroup {
  key: string
  title: string
  names: readonly SettingName[]
}

/** A setting that another one requires is in the same group, so that both are sent together. */
const named: SettingGroup[] = [
  {
    key: 'sign-up',
    title: 'Sign-up',
    names: [
      'signup_enabled',
      'require_admin_approval_after_user_signup',
      'send_user_confirmation_email',
      'domain_whitelist',
      'domain_blacklist_enabled',
      'domain_blacklist',
      'user_default_external',
      'user_default_internal_regex',
      'default_projects_limit',
      'after_sign_up_text',
    ],
  },
  {
    key: 'sign-in',
    title: 'Sign-in',
    names: [
      'password_authentication_enabled_for_web',
      'password_authentication_enabled_for_git',
      'session_expire_delay',
      'require_two_factor_authentication',
      'two_factor_grace_period',
      'home_page_url',
      'after_sign_out_path',
      'sign_in_text',
    ],
  },
  {
    key: 'visibility',
    title: 'Visibility',
    names: [
      'default_project_visibility',
      'deletion_adjourned_period',
      'default_group_visibility',
      'restricted_visibility_levels',
      'default_branch_protection',
    ],
  },
  {
    key: 'transfer',
    title: 'Import and files',
    names: [
      'import_sources',
      'project_export_enabled',
      'allow_local_requests_from_hooks_and_services',
      'max_attachment_size',
      'shared_runners_enabled',
      'shared_runners_text',
    ],
  },
  {
    key: 'git',
    title: 'Git and keys',
    names: [
      'enabled_git_access_protocol',
      'rsa_key_restriction',
      'dsa_key_restriction',
      'ecdsa_key_restriction',
      'ed25519_key_restriction',
      'authorized_keys_enabled',
      'housekeeping_enabled',
      'housekeeping_bitmaps_enabled',
      'housekeeping_incremental_repack_period',
      'housekeeping_full_repack_period',
      'housekeeping_gc_period',
    ],
  },
  {
    key: 'limits',
    title: 'Limits',
    names: [
      'throttle_unauthenticated_enabled',
      'throttle_unauthenticated_requests_per_period',
      'throttle_unauthenticated_period_in_seconds',
      'throttle_authenticated_api_enabled',
      'throttle_authenticated_api_requests_per_period',
      'throttle_authenticated_api_period_in_seconds',
      'throttle_authenticated_web_enabled',
      'throttle_authenticated_web_requests_per_period',
      'throttle_authenticated_web_period_in_seconds',
      'throttle_protected_paths_enabled',
      'throttle_protected_paths_requests_per_period',
      'throttle_protected_paths_period_in_seconds',
      'protected_paths',
      'raw_blob_request_limit',
      'notes_create_limit',
      'pipeline_limit_per_project_user_sha',
      'issues_create_limit',
      'search_rate_limit',
      'search_rate_limit_unauthenticated',
      'unique_ips_limit_enabled',
      'unique_ips_limit_per_user',
      'unique_ips_limit_time_window',
      'audit_events_retention_days',
      'polling_interval_multiplier',
    ],
  },
  { key: 'help', title: 'Help and terms', names: ['help_page_text', 'help_page_support_url', 'enforce_terms', 'terms'] },
]

const grouped = new Set<string>(named.flatMap(({ names }) => names))

/** Set through the API, by the path of the group. */
const elsewhere = 'performance_bar_allowed_group_id'

const others = (Object.keys(settingsTable) as SettingName[]).filter((name) => !grouped.has(name) && name !== elsewhere)

export const settingGroups: readonly SettingGroup[] = [...named, { key: 'kept', title: 'Kept for clients', names: others }]

/** The first group if there is none with this name. */
export function groupNamed(key: string): SettingGroup {
  return settingGroups.find((group) => group.key === key) ?? (settingGroups[0] as SettingGroup)
}
