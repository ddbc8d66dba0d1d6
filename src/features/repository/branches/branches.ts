/** Branches: what other features may use of them. */
export { getBranch } from './branches.service.ts'
