/** Sign-ins by SSH at a steady rate: whether all come in, and how long nine in ten of them take at most. */
import type { Forge } from '../forge.ts'
import type { SignedIn, SignIns } from '../probes/sign-ins.ts'
import { runScript, usedCpu } from '../processes.ts'
import { digits, printProgress, type Row } from '../report.ts'
import { signIns_per_s, signIns_s } from '../settings.ts'

/** @param key the file of a private key of the administrator */
export async function measureSignIns(forge: Forge, key: string): Promise<Row> {
  printProgress(`${signIns_per_s} sign-ins a second`)
  await forge.settled()
  const before_s = usedCpu(forge.pid)
  const load = { port: forge.ssh_port, username: 'git', key, rate_per_s: signIns_per_s, duration_s: signIns_s }
  const result = await runScript<SignIns, SignedIn>('sign-ins.ts', load)
  const cpu_ms = ((usedCpu(forge.pid) - before_s) / result.asked) * 1_000
  const { asked, refused, took_s } = result
  const times = `p90 ${digits(result.p90_ms)} ms (p50 ${digits(result.p50_ms)} ms, p99 ${digits(result.p99_ms)} ms)`
  return {
    what: `sign-ins by SSH, ${signIns_per_s}/s for ${signIns_s} s`,
    ours: `${times}, ${refused} of ${asked} refused${result.refusal === null ? '' : ` (${result.refusal})`}, ${digits(cpu_ms)} ms of CPU each; the client took ${Math.round(result.client * 100)} % of a core`,
    limit: '',
    ratio: '',
    aim: 'held, none refused',
    // The last of them is asked for just before the end.
    met: refused === 0 && took_s < signIns_s + 1,
  }
}
