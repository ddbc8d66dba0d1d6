/** Paths of the pages of merge requests, for all links to them. */
interface Named {
  full_path: string
}

export function mergeRequestsAddress({ full_path }: Named): string {
  return `/${full_path}/merge_requests`
}

export function mergeRequestAddress(project: Named, iid: number): string {
  return `${mergeRequestsAddress(project)}/${iid}`
}

/** The form to propose the merge of a branch of this project or, by id, of another one. */
export function newMergeRequestAddress(project: Named, source: { branch: string; project_id?: number }): string {
  const fields = new URLSearchParams({ 'merge_request[source_branch]': source.branch })
  if (source.project_id !== undefined) fields.set('merge_request[source_project_id]', String(source.project_id))
  return `${mergeRequestsAddress(project)}/new?${fields}`
}

/** The queue of a branch; by default that of the default branch. */
export function mergeTrainsAddress({ full_path }: Named, shown: { branch?: string; scope?: 'merged' } = {}): string {
  const query = new URLSearchParams(Object.entries(shown).filter(([, value]) => value !== '')).toString()
  return `/${full_path}/merge_trains${query === '' ? '' : `?${query}`}`
}
