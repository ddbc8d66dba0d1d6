/** Addresses of pipeline schedules. */

export const schedulesAddress = ({ full_path }: { full_path: string }): string => `/${full_path}/pipeline_schedules`

export const scheduleAddress = (project: { full_path: string }, { id }: { id: number }): string => `${schedulesAddress(project)}/${id}`

/** Without `refs/heads/` or `refs/tags/`, and which of them it is. */
export function shortRef(ref: string): { ref: string; tag: boolean } {
  return { ref: ref.replace(/^refs\/(heads|tags)\//, ''), tag: ref.startsWith('refs/tags/') }
}
