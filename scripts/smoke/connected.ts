// A vault that the executable hosts for a check, with an owner who shares one folder of it, and a user of
// the executable who has the connection to that folder.

import { furnish, type Furnished } from "../hosted.ts";
import { Served } from "./served.ts";
import type { Subject } from "./subject.ts";

export class Connected implements AsyncDisposable {
  readonly #served: Served;
  readonly #furnished: Furnished;
  /** The executable for a new user. */
  readonly stranger: Subject;

  private constructor(served: Served, furnished: Furnished, stranger: Subject) {
    this.#served = served;
    this.#furnished = furnished;
    this.stranger = stranger;
  }

  /** Starts the server and makes the vault and the connection. */
  static async open(subject: Subject): Promise<Connected> {
    const served = await Served.open(subject, `${subject.folder()}/vault`);
    try {
      return new Connected(served, await furnish(served), subject.forSomebodyNew());
    } catch (error) {
      await served[Symbol.asyncDispose]();
      throw error;
    }
  }

  get owner(): Furnished["owner"] {
    return this.#furnished.owner;
  }

  get connectionString(): string {
    return this.#furnished.connectionString;
  }

  get origin(): string {
    return this.#served.origin;
  }

  /** The executable for that user, who has the connection. No keychain and no file is looked at. */
  get user(): Subject {
    const { connectionString, origin } = this;
    return this.stranger.with({ SHIELDFIVE_GRANT: connectionString, SHIELDFIVE_API_URL: origin });
  }

  /** Ends the connection. */
  async revoke(): Promise<void> {
    await this.owner.revokeGrant(this.#furnished.grantId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.owner.lock();
    await this.#served[Symbol.asyncDispose]();
  }
}
