/**
 * What the page is made of. Every view is built from these, so that all of them look, and work with keyboard
 * and screen reader, alike.
 *
 * @module
 */

export { Button, type ButtonProps, IconButton, type IconButtonProps } from "./button.tsx";
export { CopyField, type CopyFieldProps } from "./copy_field.tsx";
export { ConfirmDialog, type ConfirmDialogProps, Dialog, type DialogProps } from "./dialog.tsx";
export {
  Checkbox,
  type CheckboxProps,
  type Choice,
  type ChoicesProps,
  RadioGroup,
  SecretField,
  Select,
  TextField,
  type TextFieldProps,
} from "./field.tsx";
export { Icon } from "./icon.tsx";
export type { IconName } from "./icons.ts";
export { Menu, type MenuItem, type MenuProps } from "./menu.tsx";
export { Name, type NameProps, shownName } from "./name.tsx";
export { Card, Facts, Page, type PageProps } from "./page.tsx";
export { Progress, type ProgressProps } from "./progress.tsx";
export {
  Badge,
  Banner,
  type BannerProps,
  EmptyState,
  ErrorState,
  LoadingState,
} from "./states.tsx";
export { type Notice, type Status, StatusProvider, useStatus } from "./status.tsx";
export { SortHeader, type SortHeaderProps } from "./sort_header.tsx";
