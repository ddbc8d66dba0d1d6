/** Chooses the sandbox for jobs: bubblewrap, or none if that is requested. */
import { StartRefused } from '../../failure.ts'
import { probeSandbox, type Sandbox } from './sandbox.ts'

export interface SandboxOptions {
  allowNetwork: boolean
  withoutSandbox: boolean
  read_paths: string[]
  print: (line: string) => void
}

export async function chooseSandbox({ allowNetwork, withoutSandbox, read_paths, print }: SandboxOptions): Promise<Sandbox> {
  const sandbox = { hasNetwork: allowNetwork, read_paths }
  if (withoutSandbox) {
    print('runs jobs without a sandbox: they can read and write all that this user can')
    return { kind: 'none', ...sandbox, hasNetwork: true }
  }
  const why = await probeSandbox()
  if (why !== null) {
    const advice = 'install bubblewrap, or run jobs that you trust with --without-sandbox'
    throw new StartRefused(`jobs would run without a sandbox: ${why}; ${advice}`)
  }
  return { kind: 'bubblewrap', ...sandbox }
}
