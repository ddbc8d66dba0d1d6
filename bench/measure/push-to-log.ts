/** From the end of a push to the first line of its first job in the page, with an idle runner. */
import { type CiForge, makeProject, makeRunners } from '../data/ci-forge.ts'
import type { PushToLog, Waits } from '../probes/push-to-log.ts'
import { runScript } from '../processes.ts'
import { digits, printProgress, type Row } from '../report.ts'
import { watchedPushes } from '../settings.ts'

const maxMedian_ms = 1_000
const maxWait_ms = 3_000

export async function measurePushToLog({ engine, forge }: CiForge): Promise<Row[]> {
  printProgress(`${engine}: ${watchedPushes} pushes until their log is seen`)
  const project = await makeProject(forge, 'watched', 'test:\n  script: [make]\n')
  const { path_with_namespace: path } = (await forge.call('PUT', `/projects/${project}`, { visibility: 'public' })) as {
    path_with_namespace: string
  }
  const [runner = ''] = await makeRunners(forge, 1)
  const given = { url: forge.url, token: forge.token, path, runner, rounds: watchedPushes }
  const waits = (await runScript<PushToLog, Waits>('push-to-log.ts', given)).sort((one, other) => one - other)
  const at = (share: number) => waits[Math.floor((waits.length - 1) * share)] as number
  const [p50, p99] = [at(0.5), at(0.99)]
  return [
    {
      what: `${engine}, from the end of a push to the first line of its job in the page, one idle runner: p50`,
      ours: `${digits(p50)} ms (p99 ${digits(p99)} ms)`,
      limit: '',
      ratio: '',
      aim: `≤ ${maxMedian_ms} ms, p99 ≤ ${maxWait_ms} ms`,
      met: p50 <= maxMedian_ms && p99 <= maxWait_ms,
    },
  ]
}
