/** The runner's description of itself, which it sends with each request in the terms of the protocol. */
import { programVersion } from '../../version.ts'

/** Names of processors in Go, which clients and servers of this protocol use. */
const architectures: Record<string, string> = { x64: 'amd64', ia32: '386' }

export const runnerName = 'gitstead-runner'

export const runnerInfo = {
  name: runnerName,
  version: programVersion,
  revision: programVersion,
  platform: process.platform,
  architecture: architectures[process.arch] ?? process.arch,
  executor: 'shell',
  shell: 'bash',
  features: {
    variables: true,
    artifacts: true,
    cache: true,
    fallback_cache_keys: true,
    upload_multiple_artifacts: true,
    upload_raw_artifacts: true,
    refspecs: true,
    masking: true,
    raw_variables: true,
    artifacts_exclude: true,
    multi_build_steps: true,
    trace_reset: true,
    trace_checksum: true,
    trace_size: true,
    cancelable: true,
    cancel_gracefully: true,
    return_exit_code: true,
    shared: true,
  },
}
