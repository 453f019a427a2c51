// A vault has one owner and no user name. Password managers look for one all the same, and without it keep
// a passphrase under none, or offer it to the wrong field.

/** What password managers keep the passphrase under; it does not show. */
export function AccountName() {
  return (
    <input
      type="text"
      name="username"
      autoComplete="username"
      value="owner"
      readOnly
      hidden
    />
  );
}
