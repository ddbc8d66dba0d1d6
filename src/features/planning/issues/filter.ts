/** What a list of issues or merge requests is of, and what it may be narrowed to. */

/** Those of one project, of a group with all below it, or of everything. */
export type IssueScope = { project_id: number } | { group_id: number } | Record<never, never>

/** A value, or whether there is any. */
export type OrAny<T> = T | 'none' | 'any'

/** What may be wanted, and under `not` unwanted. */
export interface IssueTraits {
  /** Titles: each has all of them; of unwanted ones, none. */
  labels?: OrAny<string[]> | undefined
  /** A title. `upcoming` is the next one due in its project or group, `started` has a start date that has come. */
  milestone?: { title: string } | MilestoneWord | undefined
  milestone_id?: number | MilestoneWord | undefined
  author_id?: OrAny<number> | undefined
  author_username?: string | undefined
  assignee_id?: OrAny<number> | undefined
  assignee_usernames?: OrAny<string[]> | undefined
  /** Of the viewer. */
  my_reaction_emoji?: OrAny<{ name: string }> | undefined
  iids?: number[] | undefined
}

export type MilestoneWord = OrAny<'upcoming' | 'started'>

export const dueWords = ['0', 'any', 'today', 'tomorrow', 'overdue', 'week', 'month', 'next_month_and_previous_two_weeks'] as const
export type DueWord = (typeof dueWords)[number]

export const issueOrders = [
  'created_at',
  'due_date',
  'label_priority',
  'milestone_due',
  'popularity',
  'priority',
  'relative_position',
  'title',
  'updated_at',
] as const
export type IssueOrder = (typeof issueOrders)[number]
/** Those of merge requests too. */
export type CommonOrder = Exclude<IssueOrder, 'due_date' | 'relative_position'>

/** What lists of issues and of merge requests can both be narrowed to. All conditions hold at once. */
export interface CommonFilter extends IssueTraits {
  scope?: 'created_by_me' | 'assigned_to_me' | 'all' | undefined
  state?: string | undefined
  not?: IssueTraits | undefined
  /** Words; those in quotes stand together. */
  search?: string | undefined
  /** Where they are looked for; both unless given. */
  search_in?: Array<'title' | 'description'> | undefined
  created_after?: string | undefined
  created_before?: string | undefined
  updated_after?: string | undefined
  updated_before?: string | undefined
  /** Leaves out archived projects. */
  non_archived?: boolean | undefined
}

export interface IssueFilter extends CommonFilter {
  state?: 'opened' | 'closed' | undefined
  confidential?: boolean | undefined
  due_date?: DueWord | undefined
  order_by?: IssueOrder | undefined
  sort?: 'asc' | 'desc' | undefined
}
