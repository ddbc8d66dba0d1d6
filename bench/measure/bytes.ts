/** Bytes of a repository, against what gives the same bytes without us: a plain file server, git itself; and the list of very many tags. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bigFile, generateBig, generateTags, manyTags } from '../data/repository.ts'
import type { Forge } from '../forge.ts'
import type { FilesInput } from '../limits/files.ts'
import { git, runShell, startHelper } from '../processes.ts'
import { atLeast, atMost, digits, median, printProgress, type Row } from '../report.ts'
import { loadRounds, minGitRounds } from '../settings.ts'
import { loadOf } from './api.ts'

/** Raw bytes of 1 MB, an archive of `source` (pushed as project `name`), a page of very many tags. */
export async function measureBytes(forge: Forge, source: string, name: string, folder: string): Promise<Row[]> {
  return [await measureRaw(forge, folder), await measureArchive(forge, source, name, folder), await measureTags(forge, folder)]
}

async function measureRaw(forge: Forge, folder: string): Promise<Row> {
  printProgress('raw bytes')
  const big = await generateBig(join(folder, 'big.git'))
  await forge.call('POST', '/projects', { name: 'big', visibility: 'private' })
  await git(big, 'push', '--quiet', `${forge.url.replace('://', `://root:${forge.token}@`)}/root/big.git`, 'main')
  const root = join(folder, 'files')
  await mkdir(root)
  const whole = await fetch(rawUrl(forge), { headers: { 'private-token': forge.token } })
  await writeFile(join(root, bigFile), Buffer.from(await whole.arrayBuffer()))
  const plain = await startHelper('files.ts', { root } satisfies FilesInput)
  const speeds: number[][] = [[], []]
  try {
    const sides = [
      { url: rawUrl(forge), headers: { 'private-token': forge.token } },
      { url: `${plain.url}/${bigFile}`, headers: {} },
    ]
    for (let round = 0; round <= loadRounds; round += 1) {
      for (const [side, target] of sides.entries()) {
        const { requests_per_s } = await loadOf(target)
        if (round > 0) speeds[side]?.push(requests_per_s)
      }
    }
  } finally {
    await plain.stop()
  }
  const [ours, limit] = speeds.map(median) as [number, number]
  return {
    what: 'raw bytes of a file of 1 MB',
    ours: `${digits(ours)}/s`,
    limit: `a plain file server: ${digits(limit)}/s`,
    ratio: digits(ours / limit),
    ...atLeast(ours / limit, 0.5),
  }
}

function rawUrl(forge: Forge): string {
  return `${forge.url}/api/v4/projects/root%2Fbig/repository/files/${bigFile}/raw?ref=main`
}

async function measureArchive(forge: Forge, source: string, name: string, folder: string): Promise<Row> {
  const target = join(folder, 'archive.tar.gz')
  const url = `${forge.url}/api/v4/projects/${encodeURIComponent(name)}/repository/archive.tar.gz`
  const times: number[][] = [[], []]
  for (let round = 0; round <= minGitRounds; round += 1) {
    printProgress(`archives, ${round} of ${minGitRounds}`)
    const sides = [
      () => runShell(`curl --silent --fail --header "private-token: ${forge.token}" --output ${target} ${url}`),
      () => runShell(`git --git-dir=${source} archive --format=tar.gz --prefix=x/ --output=${target} HEAD`),
    ]
    for (const [side, work] of sides.entries()) {
      const began = performance.now()
      await work()
      if (round > 0) times[side]?.push((performance.now() - began) / 1_000)
    }
  }
  await rm(target, { force: true })
  const [ours, limit] = times.map(median) as [number, number]
  return {
    what: 'an archive, tar.gz',
    ours: `${digits(ours)} s`,
    limit: `git archive: ${digits(limit)} s`,
    ratio: digits(ours / limit),
    ...atMost(ours / limit, 1.1),
  }
}

async function measureTags(forge: Forge, folder: string): Promise<Row> {
  printProgress(`${manyTags} tags`)
  const repository = await generateTags(join(folder, 'tags.git'))
  await forge.call('POST', '/projects', { name: 'tags', visibility: 'private' })
  await git(repository, 'push', '--quiet', `${forge.url.replace('://', `://root:${forge.token}@`)}/root/tags.git`, 'main', '--tags')
  const times: number[] = []
  for (let round = 0; round < 20; round += 1) {
    const began = performance.now()
    await forge.call('GET', `/projects/root%2Ftags/repository/tags?page=${1 + (round % 10)}&per_page=100`)
    times.push(performance.now() - began)
  }
  const warm = median(times.slice(1))
  return {
    what: `100 of ${manyTags.toLocaleString('en')} tags, by date`,
    ours: `${digits(warm)} ms (the first time ${digits(times[0] as number)} ms)`,
    limit: '',
    ratio: '',
    ...atMost(warm, 60, 'ms'),
  }
}
