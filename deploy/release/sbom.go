package main

import (
	"bytes"
	"os"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// writeSBOM writes the bill of materials of the program in the format of CycloneDX:
// every module with its version and licences.
func writeSBOM(file, version string, at time.Time, modules []module) error {
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{
		Timestamp: at.Format(time.RFC3339),
		Component: &cdx.Component{
			BOMRef: "watchpost", Type: cdx.ComponentTypeApplication, Name: "watchpost", Version: version, Licenses: licencesOf([]string{"Apache-2.0"}),
		},
	}
	var components []cdx.Component
	var refs []string
	for _, m := range modules {
		url := "pkg:golang/" + m.path + "@" + m.version
		components = append(components, cdx.Component{
			BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: m.path, Version: m.version, PackageURL: url, Licenses: licencesOf(m.licences),
		})
		refs = append(refs, url)
	}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: "watchpost", Dependencies: &refs}}
	var buffer bytes.Buffer
	if err := cdx.NewBOMEncoder(&buffer, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		return err
	}
	return os.WriteFile(file, buffer.Bytes(), 0o644) //nolint:gosec // published
}

func licencesOf(ids []string) *cdx.Licenses {
	var list cdx.Licenses
	for _, id := range ids {
		list = append(list, cdx.LicenseChoice{License: &cdx.License{ID: id}})
	}
	return &list
}
