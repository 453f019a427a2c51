// The commit that a bundle was made from. The bundler puts a module of its own in the place of this one;
// the sources do not say which commit they are.

export const COMMIT: string | undefined = undefined;
