/**
 * Verifies the signature of a commit with the keys of its committer, and that of a tag with those of its tagger. The result isn't stored,
 * as it would be outdated as soon as a key or address changes. gpg only gets the keys of that user, in a temporary folder: with one keyring
 * for all, a hostile key would be parsed for every verification.
 */
import type { Db } from '../../../db/database.ts'
import type { GpgKey } from '../../../db/tables.ts'
import { type SignatureType, type SignedObject, signatureTypes, type Verdict, verifySignature } from '../../../git/history/signature.ts'
import { readCommit, readTag } from '../../../git/objects/read.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { gpgKeysOfUser, readPublicKey } from '../../people/gpg-keys/gpg-keys.ts'
import { keyByFingerprint, keysOfUser, presentKey } from '../../people/keys/keys.ts'
import { addressesOf, holderOfAddress } from '../../people/users/users.ts'

/** Maximum number of a user's keys that are tried, oldest first. */
const maxKeys = 50
const firstKeys = { limit: maxKeys, offset: 0 }
const maxKeyring_bytes = 2 * 1024 * 1024

/** Null if the commit has none. */
export function signatureOf(db: Db, repo: Repo, oid: string) {
  return verified(db, repo, { kind: 'commit', oid }, async () => (await readCommit(repo, oid)).committer.email)
}

/** Null if the tag isn't annotated, or has none. What was signed under another name says nothing of this tag. */
export async function signatureOfTag(db: Db, repo: Repo, { name, oid }: { name: string; oid: string }) {
  const tag = await readTag(repo, oid)
  if (!tag) return null
  const signature = await verified(db, repo, { kind: 'tag', oid }, () => tag.tagger?.email ?? '')
  return signature === null || tag.name === name ? signature : blank(signature.signature_type, 'unverified')
}

interface Signed {
  kind: SignedObject
  oid: string
}

/** @param signer the address of the person who claims to have signed it */
async function verified(db: Db, repo: Repo, signed: Signed, signer: () => Promise<string> | string) {
  const [type, ...more] = await signatureTypes(repo, signed.kind, signed.oid)
  if (type === undefined) return null
  if (more.length > 0) return blank(type, 'multiple_signatures')
  const email = await signer()
  const holder = await holderOfAddress(db, email)
  if (type === 'PGP') return ofGpg(db, repo, signed, { email: email.toLowerCase(), holder })
  return type === 'SSH' ? ofSsh(db, repo, signed, holder) : blank(type, 'unverified')
}

function blank(type: SignatureType, verification_status: 'multiple_signatures' | 'unverified' | 'unknown_key') {
  const gpg = { gpg_key_id: null, gpg_key_primary_keyid: null, gpg_key_user_name: null, gpg_key_user_email: null, gpg_key_subkey_id: null }
  const named = type === 'PGP' ? gpg : type === 'SSH' ? { key: null } : {}
  return { signature_type: type, verification_status, ...named, commit_source }
}

const commit_source = 'git'

interface Signer {
  /** In lower case. */
  email: string
  /** The user with this confirmed address. */
  holder: number | null
}

async function ofGpg(db: Db, repo: Repo, { kind, oid }: Signed, { email, holder }: Signer) {
  const keys = holder === null ? [] : keyringOf((await gpgKeysOfUser(db, holder, firstKeys)).rows)
  const verdict = await verifySignature(repo, kind, oid, { keyring: Buffer.concat(keys.map(({ packets }) => packets)), ssh: [] })
  const key = 'fingerprint' in verdict ? keys.find(({ row }) => row.fingerprint === verdict.fingerprint) : undefined
  if (holder === null || !key) return blank('PGP', verdict.result === 'unknown key' ? 'unknown_key' : 'unverified')
  const own = await addressesOf(db, holder)
  const proven = key.identities.filter(({ email }) => own.has(email.toLowerCase()))
  const matching = proven.find((identity) => identity.email.toLowerCase() === email)
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

async function ofSsh(db: Db, repo: Repo, { kind, oid }: Signed, holder: number | null) {
  const keys = holder === null ? [] : (await keysOfUser(db, holder, firstKeys)).rows
  const verdict = await verifySignature(repo, kind, oid, { keyring: Buffer.alloc(0), ssh: keys.map(({ type, blob }) => `${type} ${blob}`) })
  if (verdict.result !== 'good') return blank('SSH', 'unverified')
  // The signature is verified with whichever key made it; its owner decides the result.
  const known = await keyByFingerprint(db, verdict.fingerprint)
  if (known?.row.kind !== 'user') return blank('SSH', 'unknown_key')
  const verification_status = known.row.user_id === holder ? ('verified' as const) : ('other_user' as const)
  return { signature_type: 'SSH' as const, verification_status, key: presentKey(known.row), commit_source }
}
