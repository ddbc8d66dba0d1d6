/**
 * Verifies the signature of a commit with the keys of its committer. The result isn't stored, as it would be outdated as soon as a key or
 * address changes. gpg only gets the keys of the committer, in a temporary folder: with one keyring for all, a hostile key would be parsed
 * for every verification.
 */
import type { Db } from '../../../db/database.ts'
import type { GpgKey } from '../../../db/tables.ts'
import { type SignatureType, signatureTypes, type Verdict, verifySignature } from '../../../git/history/signature.ts'
import { readCommit } from '../../../git/objects/read.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { gpgKeysOfUser, readPublicKey } from '../../people/gpg-keys/gpg-keys.ts'
import { keyByFingerprint, keysOfUser, presentKey } from '../../people/keys/keys.ts'
import { addressesOf, holderOfAddress } from '../../people/users/users.ts'

/** Maximum number of a user's keys that are tried, oldest first. */
const maxKeys = 50
const firstKeys = { limit: maxKeys, offset: 0 }
const maxKeyring_bytes = 2 * 1024 * 1024

/** Null if the commit has none. */
export async function signatureOf(db: Db, repo: Repo, oid: string) {
  const [type, ...more] = await signatureTypes(repo, oid)
  if (type === undefined) return null
  if (more.length > 0) return blank(type, 'multiple_signatures')
  const { committer } = await readCommit(repo, oid)
  const holder = await holderOfAddress(db, committer.email)
  if (type === 'PGP') return ofGpg(db, repo, oid, { email: committer.email.toLowerCase(), holder })
  return type === 'SSH' ? ofSsh(db, repo, oid, holder) : blank(type, 'unverified')
}

function blank(type: SignatureType, verification_status: 'multiple_signatures' | 'unverified' | 'unknown_key') {
  const gpg = { gpg_key_id: null, gpg_key_primary_keyid: null, gpg_key_user_name: null, gpg_key_user_email: null, gpg_key_subkey_id: null }
  const named = type === 'PGP' ? gpg : type === 'SSH' ? { key: null } : {}
  return { signature_type: type, verification_status, ...named, commit_source }
}

const commit_source = 'git'

interface Committer {
  /** In lower case. */
  email: string
  /** The user with this confirmed address. */
  holder: number | null
}

async function ofGpg(db: Db, repo: Repo, oid: string, committer: Committer) {
  const { holder } = committer
  const keys = holder === null ? [] : keyringOf((await gpgKeysOfUser(db, holder, firstKeys)).rows)
  const verdict = await verifySignature(repo, oid, { keyring: Buffer.concat(keys.map(({ packets }) => packets)), ssh: [] })
  const key = 'fingerprint' in verdict ? keys.find(({ row }) => row.fingerprint === verdict.fingerprint) : undefined
  if (holder === null || !key) return blank('PGP', verdict.result === 'unknown key' ? 'unknown_key' : 'unverified')
  const own = await addressesOf(db, holder)
  const proven = key.identities.filter(({ email }) => own.has(email.toLowerCase()))
  const matching = proven.find(({ email }) => email.toLowerCase() === committer.email)
  const shown = matching ?? proven[0] ?? key.identities[0]
  return {
    signature_type: 'PGP' as const,
    verification_status: gpgStatus(verdict, { isProven: proven.length > 0, isMatching: matching !== undefined }),
    gpg_key_id: key.row.id,
    gpg_key_primary_keyid: key.row.fingerprint.slice(-16),
    gpg_key_user_name: shown?.name ?? null,
    gpg_key_user_email: shown?.email ?? null,
    gpg_key_subkey_id: null,
    commit_source,
  }
}

function gpgStatus({ result }: Verdict, { isProven, isMatching }: { isProven: boolean; isMatching: boolean }) {
  if (result === 'revoked') return 'revoked_key' as const
  if (result !== 'good') return 'unverified' as const
  if (!isProven) return 'unverified_key' as const
  return isMatching ? ('verified' as const) : ('same_user_different_email' as const)
}

/** The parsable keys, up to a total size. */
function keyringOf(rows: GpgKey[]) {
  let bytes = 0
  return rows.flatMap((row) => {
    const key = readPublicKey(row.key)
    bytes += key?.packets.length ?? 0
    return key && bytes <= maxKeyring_bytes ? [{ row, ...key }] : []
  })
}

async function ofSsh(db: Db, repo: Repo, oid: string, holder: number | null) {
  const keys = holder === null ? [] : (await keysOfUser(db, holder, firstKeys)).rows
  const verdict = await verifySignature(repo, oid, { keyring: Buffer.alloc(0), ssh: keys.map(({ type, blob }) => `${type} ${blob}`) })
  if (verdict.result !== 'good') return blank('SSH', 'unverified')
  // The signature is verified with whichever key made it; its owner decides the result.
  const known = await keyByFingerprint(db, verdict.fingerprint)
  if (known?.row.kind !== 'user') return blank('SSH', 'unknown_key')
  const verification_status = known.row.user_id === holder ? ('verified' as const) : ('other_user' as const)
  return { signature_type: 'SSH' as const, verification_status, key: presentKey(known.row), commit_source }
}
