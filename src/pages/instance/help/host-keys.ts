/** The fingerprints of the built-in SSH server's host keys, for users who connect for the first time. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fingerprintsOf } from '../../../access/ssh-keys.ts'
import type { App } from '../../../app.ts'

export interface HostKey {
  type: string
  sha256: string
  md5: string
}

/** Empty if the built-in SSH server doesn't run: another program has keys of its own then. Reads three small files. */
export async function hostKeysOf({ config }: App): Promise<HostKey[]> {
  if (config.ssh_port === null) return []
  const files = ['ed25519', 'ecdsa', 'rsa'].map((type) => join(config.home, 'ssh', `ssh_host_${type}_key.pub`))
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))
  return texts.flatMap((text) => {
    const [type = '', key = ''] = text.trim().split(' ')
    return key === '' ? [] : [{ type, ...fingerprintsOf(Buffer.from(key, 'base64')) }]
  })
}
