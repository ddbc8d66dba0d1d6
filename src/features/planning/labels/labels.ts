/** Labels: what others may use of them. */
export { presentLabelBrief } from './labels.present.ts'
