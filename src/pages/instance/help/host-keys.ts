/** The fingerprints of the host keys of the built-in SSH server, for people who connect for the first time. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fingerprintsOf } from '../../../access/ssh-keys.ts'
import type { App } from '../../../app.ts'

export interface HostKey {
  type: string
  sha256: string
  md5: string
}

/** Empty where no SSH server of ours listens: then the keys are those of another program. Three small files are read. */
export async function hostKeysOf({ config }: App): Promise<HostKey[]> {
  if (config.ssh_port === null) return []
  const files = ['ed25519', 'ecdsa', 'rsa'].map((type) => join(config.home, 'ssh', `ssh_host_${type}_key.pub`))
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))
  return texts.flatMap((text) => {
    const [type = '', key = ''] = text.trim().split(' ')
    return key === '' ? [] : [{ type, ...fingerprintsOf(Buffer.from(key, 'base64')) }]
  })
}
