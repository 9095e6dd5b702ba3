// Settings and their revision are read one after the other: a change between them is believed to be read.
import { storeModule } from "../planting.mjs";

export const says = "settings are read in one statement, their revision in the next";

export async function plant() {
  const { PostgresSettingStore } = await storeModule("stores/postgres-setting-store.js");
  const { readSettings } = PostgresSettingStore.prototype;
  PostgresSettingStore.prototype.readSettings = async function () {
    const settings = await readSettings.call(this);
    const { revision } = await readSettings.call(this);
    return { ...settings, revision };
  };
}
