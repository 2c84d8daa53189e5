export {
  type CheckedOptions,
  type Form,
  type FormOf,
  type Kind,
  type Option,
  type OptionsOf,
  type OptionTable,
  storedIn,
  wireNamesOf,
} from './option.ts'
