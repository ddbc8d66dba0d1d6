/** Templates of descriptions for forms. */
import { descriptionTemplates, textOfTemplate } from '../../../features/repository/description-templates/description-templates.ts'
import type { Repo } from '../../../git/repository/repository.ts'

/** Listed first, and used by default. */
const usual = /^default$/i

export interface Templates {
  names: string[]
  /** The text of the chosen template, or of the default one; null for none. */
  text: string | null
}

/** No process but the reader of objects. */
export async function readTemplates(repo: Repo, branch: string | null, asked: string): Promise<Templates> {
  const found = await descriptionTemplates(repo, branch, 'merge_requests')
  const chosen = found.find(({ name }) => name === asked) ?? found.find(({ name }) => usual.test(name))
  return { names: found.map(({ name }) => name), text: chosen ? await textOfTemplate(repo, chosen) : null }
}
