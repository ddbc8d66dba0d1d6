/** Audit log entries for credentials, sign-ins, and the protection of an instance. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { record } from './recording.ts'

export function recordSignIn(tx: Tx, { user, address }: EventOf<'signed_in'>): Promise<void> {
  return record(tx, { event_name: 'signed_in', message: 'Signed in', of: { user_id: user.id }, author: user, address })
}

/** The typed login isn't recorded: it may be a password in the wrong field. */
export function recordFailedSignIn(tx: Tx, { user, with: secret, address }: EventOf<'sign_in_failed'>): Promise<void> {
  const of = user ? { user_id: user.id } : 'instance'
  const message = user ? 'Failed to sign in' : 'Failed to sign in with an unknown login'
  // The name is passed along: looking it up would take longer for existing logins.
  const path = user?.username
  return record(tx, {
    event_name: 'sign_in_failed',
    message,
    of,
    ...(path !== undefined && { path }),
    details: { failed_with: secret },
    address,
  })
}

export function recordRefusedSignIn(tx: Tx, { user }: EventOf<'sign_in_refused'>): Promise<void> {
  return record(tx, { event_name: 'sign_in_refused', message: 'Tried to sign in while blocked', of: { user_id: user.id } })
}

export function recordLiftedLimit(tx: Tx, { limit, user_id, network }: EventOf<'sign_in_limit_lifted'>): Promise<void> {
  return record(tx, {
    event_name: 'sign_in_limit_lifted',
    message: 'Lifted a limit of sign-ins or mail',
    of: user_id === null ? 'instance' : { user_id },
    details: { limit, ...(network !== null && { network }) },
  })
}

export function recordSudo(tx: Tx, { user }: EventOf<'sudo_used'>): Promise<void> {
  return record(tx, { event_name: 'sudo_used', message: `Acted as ${user.username} by sudo`, of: { user_id: user.id } })
}

export function recordImpersonation(
  tx: Tx,
  { type, administrator, user }: EventOf<'impersonation_started' | 'impersonation_stopped'>,
): Promise<void> {
  const act = type === 'impersonation_started' ? 'Started' : 'Stopped'
  return record(tx, { event_name: type, message: `${act} impersonation`, of: { user_id: user.id }, author: administrator })
}

export function recordSecondFactor(tx: Tx, { type, user_id }: EventOf<'second_factor_enabled' | 'second_factor_disabled'>): Promise<void> {
  const message = type === 'second_factor_enabled' ? 'Enabled a second factor' : 'Disabled the second factor'
  return record(tx, { event_name: type, message, of: { user_id } })
}

export function recordCredential(
  tx: Tx,
  { type, of, credential: { kind, id, name, scopes } }: EventOf<'credential_created' | 'credential_revoked'>,
): Promise<void> {
  const act = type === 'credential_created' ? 'created' : 'revoked'
  return record(tx, {
    event_name: `${kind}_${act}`,
    message: `${act === 'created' ? 'Created' : 'Revoked'} ${nameOf(kind)} ${name}`.trim(),
    of,
    target: { type: kind, id, name },
    ...(scopes && { details: { scopes } }),
  })
}

export function recordServiceAccount(tx: Tx, { of, user: { id, username } }: EventOf<'service_account_created'>): Promise<void> {
  const target = { type: 'User', id, name: username }
  return record(tx, { event_name: 'service_account_created', message: `Created service account ${username}`, of, target })
}

export function recordKey(tx: Tx, { type, key }: EventOf<'key_added' | 'key_removed'>): Promise<void> {
  return record(tx, {
    event_name: `ssh_${type}`,
    message: `${type === 'key_added' ? 'Added' : 'Removed'} SSH key ${key.title}`,
    of: key.user_id === null ? 'instance' : { user_id: key.user_id },
    target: { type: 'ssh_key', id: key.id, name: key.title },
    details: { fingerprint: key.fingerprint_sha256 },
  })
}

export function recordGpgKey(
  tx: Tx,
  { type, key: { id, user_id, fingerprint } }: EventOf<'gpg_key_added' | 'gpg_key_removed'>,
): Promise<void> {
  return record(tx, {
    event_name: type,
    message: `${type === 'gpg_key_added' ? 'Added' : 'Removed'} GPG key ${fingerprint}`,
    of: { user_id },
    target: { type: 'gpg_key', id, name: fingerprint },
  })
}

export function recordGitPassword(tx: Tx, { user, address }: EventOf<'git_password_used'>): Promise<void> {
  return record(tx, {
    event_name: 'git_password_used',
    message: 'Used git with the password',
    of: { user_id: user.id },
    author: user,
    address,
  })
}

export function recordProtection(tx: Tx, { project_id, act, ref, name, rule }: EventOf<'protection_changed'>): Promise<void> {
  const acts = { created: 'Protected', changed: 'Changed the protection of', removed: 'Unprotected' }
  return record(tx, {
    event_name: `protected_${ref}_${act}`,
    message: `${acts[act]} ${ref} ${name}`,
    of: { project_id },
    target: { type: `protected_${ref}`, id: null, name },
    details: rule,
  })
}

export function recordApprovalRule(tx: Tx, { act, rule }: EventOf<'approval_rule_changed'>): Promise<void> {
  const acts = { created: 'Created', changed: 'Changed', removed: 'Removed' }
  return record(tx, {
    event_name: `approval_rule_${act}`,
    message: `${acts[act]} approval rule ${rule.name}`,
    of: placeOfRule(rule),
    target: { type: 'approval_rule', id: rule.id, name: rule.name },
    details: act === 'removed' ? {} : { approvals_required: rule.approvals_required, merge_request_id: rule.merge_request_id },
  })
}

function placeOfRule({ project_id, group_id }: EventOf<'approval_rule_changed'>['rule']) {
  return project_id === null ? { namespace_id: group_id ?? 0 } : { project_id }
}

export function recordDeploymentDecision(tx: Tx, { deployment, approval }: EventOf<'deployment_decided'>): Promise<void> {
  const { id, project_id, iid } = deployment
  return record(tx, {
    event_name: `deployment_${approval.status}`,
    message: `${approval.status === 'approved' ? 'Approved' : 'Rejected'} deployment #${iid}`,
    of: { project_id },
    target: { type: 'deployment', id, name: `#${iid}` },
    details: { comment: approval.comment },
  })
}

export function recordApprovalSettings(tx: Tx, event: EventOf<'approval_settings_changed'>): Promise<void> {
  const { of, before, after } = event
  const names = (Object.keys(after) as Array<keyof typeof after>).filter((name) => before[name] !== after[name])
  if (names.length === 0) return Promise.resolve()
  return record(tx, {
    event_name: 'approval_settings_changed',
    message: 'Changed how merge requests are approved',
    of,
    target: { type: 'approval_settings', id: null, name: 'approvals' },
    details: Object.fromEntries(names.map((name) => [name, after[name]])),
  })
}

const withoutRules = new Set(['id', 'project_id', 'group_id', 'is_instance', 'created_at', 'updated_at'])

export function recordPushRule(tx: Tx, { of, act, before, after }: EventOf<'push_rule_changed'>): Promise<void> {
  const acts = { created: 'Created', changed: 'Changed', removed: 'Removed' }
  const names = Object.keys(after ?? {}) as Array<keyof NonNullable<typeof after>>
  const changed = names.filter((name) => !withoutRules.has(name) && before?.[name] !== after?.[name])
  return record(tx, {
    event_name: `push_rule_${act}`,
    message: `${acts[act]} push rules`,
    of,
    target: { type: 'push_rule', id: (after ?? before)?.id ?? null, name: 'push rules' },
    details: Object.fromEntries(changed.map((name) => [name, after?.[name]])),
  })
}

export function recordSecrets(tx: Tx, { project_id, user, found }: EventOf<'secrets_let_through'>): Promise<void> {
  const message = 'Pushed what looks like secrets, by an option of the push'
  const target = { type: 'push', id: null, name: 'push' }
  return record(tx, { event_name: 'secrets_let_through', message, of: { project_id }, target, details: { found }, author: user })
}

const flagActs = { project_flag_created: 'Created', project_flag_changed: 'Changed', project_flag_removed: 'Removed' }

export function recordFlag(tx: Tx, { type, project_id, flag_id, name, active }: EventOf<keyof typeof flagActs>): Promise<void> {
  return record(tx, {
    event_name: type,
    message: `${flagActs[type]} feature flag ${name}`,
    of: { project_id },
    target: { type: 'feature_flag', id: flag_id, name },
    details: { active },
  })
}

export function recordFlagClient(tx: Tx, { project_id }: EventOf<'flag_client_reset'>): Promise<void> {
  const message = 'Replaced the instance id of the feature flags'
  return record(tx, { event_name: 'flag_client_reset', message, of: { project_id } })
}

const stateActs = { terraform_state_locked: 'Locked', terraform_state_unlocked: 'Unlocked', terraform_state_removed: 'Deleted' }

export function recordTerraformState(tx: Tx, { type, project_id, name }: EventOf<keyof typeof stateActs>): Promise<void> {
  const target = { type: 'terraform_state', id: null, name }
  return record(tx, { event_name: type, message: `${stateActs[type]} Terraform state ${name}`, of: { project_id }, target })
}

const fileActs = { secure_file_added: 'Added', secure_file_removed: 'Removed' }

export function recordSecureFile(tx: Tx, { type, project_id, file_id, name }: EventOf<keyof typeof fileActs>): Promise<void> {
  const target = { type: 'secure_file', id: file_id, name }
  return record(tx, { event_name: type, message: `${fileActs[type]} secure file ${name}`, of: { project_id }, target })
}

export function recordWebhook(tx: Tx, { of, act, hook_id }: EventOf<'webhook_changed'>): Promise<void> {
  const acts = { created: 'Created', changed: 'Changed', removed: 'Removed' }
  const name = `webhook ${hook_id}`
  return record(tx, { event_name: `webhook_${act}`, message: `${acts[act]} ${name}`, of, target: { type: 'webhook', id: hook_id, name } })
}

/** Only names: a value may be a secret. */
export async function recordSettings(tx: Tx, { changed }: EventOf<'settings_changed'>): Promise<void> {
  if (changed.length === 0) return
  const message = `Changed settings: ${changed.join(', ')}`
  await record(tx, { event_name: 'settings_changed', message, of: 'instance', details: { settings: changed } })
}

/** Human-readable name. */
function nameOf(kind: string): string {
  return kind.replaceAll('_', ' ').replace(/^oauth\b/, 'OAuth')
}
