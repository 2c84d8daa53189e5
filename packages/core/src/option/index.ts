export { valuesOf } from './form.ts'
export {
  type CheckedOptions,
  type Form,
  type FormOf,
  type Kind,
  type Option,
  type OptionsOf,
  type OptionTable,
  wireNamesOf,
} from './option.ts'
