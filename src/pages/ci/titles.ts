/** Titles of the commits of pipelines and deployments. */
import { titleOf } from '../../git/objects/commit-title.ts'
import { readCommits } from '../../git/objects/read.ts'
import type { Repo } from '../../git/repository/repository.ts'

/** Titles by commit; commits that are gone have none. */
export async function titlesOf(repo: Repo, rows: readonly { sha: string }[]): Promise<Map<string, string>> {
  const shas = [...new Set(rows.map(({ sha }) => sha))]
  const found = await Promise.all(
    shas.map(async (sha) => {
      const [commit] = await readCommits(repo, [sha]).catch(() => [])
      return [sha, commit ? titleOf(commit.message) : ''] as const
    }),
  )
  return new Map(found)
}
