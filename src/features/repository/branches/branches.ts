/** Branches: what other features and pages may use of them. */
export { createBranch, deleteBranch, deleteMergedBranches, getBranch } from './branches.service.ts'
export { regexFilter } from './regex-filter.ts'
