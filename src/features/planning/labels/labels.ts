/** Labels: what other features may use. */
export { presentLabelBrief } from './labels.present.ts'
export { listLabels, visibleLabels } from './labels.queries.ts'
export {
  changeLabel,
  createLabel,
  describeLabels,
  findLabel,
  findOwnLabel,
  labelPlace,
  removeLabel,
  type SeenLabel,
  subscribeToLabel,
} from './labels.service.ts'
export { findLabelsByIds, findLabelsByTitles, findOrCreateLabels, labelsUsableIn, titlesIn } from './named-labels.service.ts'
export { promoteLabel, reportersOfGroup } from './promotion.ts'
