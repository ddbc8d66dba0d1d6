/** Verifies signatures of commits and tags with git and the given keys, in a temporary folder that nothing else uses. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { command } from '../process/command.ts'
import { extraConfig } from '../process/extra-config.ts'
import { cached } from '../repository/object-cache.ts'
import { captureIn, type Repo } from '../repository/repository.ts'

export type SignatureType = 'PGP' | 'SSH' | 'X509'

/** The objects that people sign. */
export type SignedObject = 'commit' | 'tag'

/** Finds the signature types of a commit or an annotated tag: none, one, or several, of which none counts. */
export function signatureTypes(repo: Repo, kind: SignedObject, oid: string): Promise<SignatureType[]> {
  return cached(
    repo.git.cache,
    `${repo.dir} signatures ${oid}`,
    async () => {
      const object = await repo.git.objects.contents(repo.dir, oid)
      if (!object) return []
      return kind === 'commit' ? signatureTypesIn(object.data) : signatureTypesOfTag(object.data)
    },
    () => 50,
  )
}

const kinds: Array<[start: RegExp, type: SignatureType]> = [
  [/^-----BEGIN PGP (?:SIGNATURE|MESSAGE)-----/, 'PGP'],
  [/^-----BEGIN SSH SIGNATURE-----/, 'SSH'],
  [/^-----BEGIN SIGNED MESSAGE-----/, 'X509'],
]

export function signatureTypesIn(commit: Buffer): SignatureType[] {
  const end = commit.indexOf('\n\n')
  const header = commit.toString('latin1', 0, end < 0 ? commit.length : end)
  return [...header.matchAll(/^gpgsig(?:-sha256)? (.*)$/gm)].flatMap(([, line = '']) => typeOf(line) ?? [])
}

/** The signature of a tag ends its message: git takes the last line that begins one. */
export function signatureTypesOfTag(tag: Buffer): SignatureType[] {
  const lines = tag.toString('latin1').matchAll(/^-----BEGIN .*$/gm)
  return [...lines].flatMap(([line]) => typeOf(line) ?? []).slice(-1)
}

function typeOf(line: string): SignatureType | undefined {
  return kinds.find(([start]) => start.test(line))?.[1]
}

export interface SigningKeys {
  /** Public OpenPGP keys, concatenated packets. */
  keyring: Buffer
  /** SSH keys, `<type> <base64>`. */
  ssh: string[]
}

export type Verdict =
  /** `fingerprint`: for OpenPGP that of the primary key in hexadecimal, for SSH the SHA-256 in base64. */
  | { result: 'good' | 'expired' | 'revoked'; fingerprint: string }
  /** Signed by a key that was not given. */
  | { result: 'unknown key' }
  /** Forged, malformed, or of a type for which this machine has no program. */
  | { result: 'bad' }

const deadline_ms = 10_000

/**
 * Verifies the signature of a commit or a tag. Git runs gpg or ssh-keygen, under the limits of its own process, offline: no key server,
 * no agent, no keys but these.
 */
export async function verifySignature(repo: Repo, kind: SignedObject, oid: string, { keyring, ssh }: SigningKeys): Promise<Verdict> {
  const home = await mkdtemp(join(tmpdir(), 'gitstead-gpg-'))
  try {
    await writeFile(join(home, 'gpg.conf'), gpgOptions)
    await writeFile(join(home, 'pubring.gpg'), keyring)
    await writeFile(join(home, 'signers'), ssh.map((key) => `signer namespaces="git" ${key}\n`).join(''))
    const env = {
      ...extraConfig([
        ['gpg.ssh.allowedSignersFile', join(home, 'signers')],
        ['gpg.minTrustLevel', 'undefined'],
      ]),
      GNUPGHOME: home,
    }
    const args = kind === 'commit' ? command`verify-commit --raw ${oid}` : command`verify-tag --raw ${oid}`
    const { stderr } = await repo.git.costly.run(repo, () => captureIn(repo, args, { env, deadline_ms, accept: [1, 128] }))
    return verdictOf(stderr)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** Gpg doesn't decide whether a key is trusted: it belongs to a user or it doesn't. */
const gpgOptions = ['batch', 'no-tty', 'disable-dirmngr', 'no-auto-key-retrieve', 'no-auto-check-trustdb', 'trust-model always', ''].join(
  '\n',
)

/** Parses the output of gpg (`[GNUPG:] VALIDSIG …`) or ssh-keygen (`Good "git" signature …`). */
export function verdictOf(output: string): Verdict {
  const [, ssh] = /^Good "git" signature (?:for signer )?with \S+ key SHA256:([A-Za-z0-9+/]+)$/m.exec(output) ?? []
  if (ssh !== undefined) return { result: 'good', fingerprint: ssh }
  const words = [...output.matchAll(/^\[GNUPG:\] (\w+) ?(.*)$/gm)].map(([, name = '', rest = '']) => [name, ...rest.split(' ')])
  const has = (name: string) => words.some(([word]) => word === name)
  if (has('BADSIG')) return { result: 'bad' }
  const valid = words.filter(([word]) => word === 'VALIDSIG')
  // If there are several signatures in one block, all are ignored.
  const fingerprint = valid.length === 1 ? valid[0]?.at(-1) : undefined
  if (fingerprint !== undefined && /^[0-9A-F]{40,64}$/.test(fingerprint)) {
    if (has('REVKEYSIG')) return { result: 'revoked', fingerprint }
    if (has('EXPKEYSIG') || has('EXPSIG')) return { result: 'expired', fingerprint }
    return has('GOODSIG') ? { result: 'good', fingerprint } : { result: 'bad' }
  }
  return has('NO_PUBKEY') ? { result: 'unknown key' } : { result: 'bad' }
}
