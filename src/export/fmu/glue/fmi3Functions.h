// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The types of FMI 3.0, for building an FMU where the headers of the standard are not at hand. It stands in the place of
// the file of the standard with this name, which an importer has, and which source FMUs do not carry.
#ifndef fmi3Functions_h
#define fmi3Functions_h

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef bool fmi3Clock;
typedef char fmi3Char;
typedef const char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const uint8_t *fmi3Binary;
#define fmi3True true
#define fmi3False false

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum {
    fmi3Independent,
    fmi3Constant,
    fmi3Fixed,
    fmi3Tunable,
    fmi3Discrete,
    fmi3Dependent
} fmi3DependencyKind;
typedef enum {
    fmi3IntervalNotYetKnown,
    fmi3IntervalUnchanged,
    fmi3IntervalChanged
} fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment environment, fmi3Status status,
                                       fmi3String category, fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment environment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment environment,
                                               fmi3Float64 time, fmi3Boolean set_requested,
                                               fmi3Boolean get_allowed, fmi3Boolean step_finished,
                                               fmi3Boolean can_return_early,
                                               fmi3Boolean *early_return_requested,
                                               fmi3Float64 *early_return_time);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

#if !defined(FMI3_Export)
#if defined(_WIN32)
#define FMI3_Export __declspec(dllexport)
#elif defined(__GNUC__)
#define FMI3_Export __attribute__((visibility("default")))
#else
#define FMI3_Export
#endif
#endif

// names with a prefix, for linking several FMUs into one program
#if defined(FMI3_FUNCTION_PREFIX) && !defined(FMI3_OVERRIDE_FUNCTION_PREFIX)
#define fmi3Join(a, b) a##b
#define fmi3JoinValues(a, b) fmi3Join(a, b)
#define fmi3FullName(name) fmi3JoinValues(FMI3_FUNCTION_PREFIX, name)
#define fmi3GetVersion fmi3FullName(fmi3GetVersion)
#define fmi3SetDebugLogging fmi3FullName(fmi3SetDebugLogging)
#define fmi3InstantiateModelExchange fmi3FullName(fmi3InstantiateModelExchange)
#define fmi3InstantiateCoSimulation fmi3FullName(fmi3InstantiateCoSimulation)
#define fmi3InstantiateScheduledExecution fmi3FullName(fmi3InstantiateScheduledExecution)
#define fmi3FreeInstance fmi3FullName(fmi3FreeInstance)
#define fmi3EnterInitializationMode fmi3FullName(fmi3EnterInitializationMode)
#define fmi3ExitInitializationMode fmi3FullName(fmi3ExitInitializationMode)
#define fmi3EnterEventMode fmi3FullName(fmi3EnterEventMode)
#define fmi3Terminate fmi3FullName(fmi3Terminate)
#define fmi3Reset fmi3FullName(fmi3Reset)
#define fmi3EnterConfigurationMode fmi3FullName(fmi3EnterConfigurationMode)
#define fmi3ExitConfigurationMode fmi3FullName(fmi3ExitConfigurationMode)
#define fmi3GetFloat64 fmi3FullName(fmi3GetFloat64)
#define fmi3SetFloat64 fmi3FullName(fmi3SetFloat64)
#define fmi3GetBinary fmi3FullName(fmi3GetBinary)
#define fmi3SetBinary fmi3FullName(fmi3SetBinary)
#define fmi3GetClock fmi3FullName(fmi3GetClock)
#define fmi3SetClock fmi3FullName(fmi3SetClock)
#define fmi3GetIntervalDecimal fmi3FullName(fmi3GetIntervalDecimal)
#define fmi3GetIntervalFraction fmi3FullName(fmi3GetIntervalFraction)
#define fmi3GetShiftDecimal fmi3FullName(fmi3GetShiftDecimal)
#define fmi3GetShiftFraction fmi3FullName(fmi3GetShiftFraction)
#define fmi3SetIntervalDecimal fmi3FullName(fmi3SetIntervalDecimal)
#define fmi3SetIntervalFraction fmi3FullName(fmi3SetIntervalFraction)
#define fmi3SetShiftDecimal fmi3FullName(fmi3SetShiftDecimal)
#define fmi3SetShiftFraction fmi3FullName(fmi3SetShiftFraction)
#define fmi3GetNumberOfVariableDependencies fmi3FullName(fmi3GetNumberOfVariableDependencies)
#define fmi3GetVariableDependencies fmi3FullName(fmi3GetVariableDependencies)
#define fmi3GetFMUState fmi3FullName(fmi3GetFMUState)
#define fmi3SetFMUState fmi3FullName(fmi3SetFMUState)
#define fmi3FreeFMUState fmi3FullName(fmi3FreeFMUState)
#define fmi3SerializedFMUStateSize fmi3FullName(fmi3SerializedFMUStateSize)
#define fmi3SerializeFMUState fmi3FullName(fmi3SerializeFMUState)
#define fmi3DeserializeFMUState fmi3FullName(fmi3DeserializeFMUState)
#define fmi3GetDirectionalDerivative fmi3FullName(fmi3GetDirectionalDerivative)
#define fmi3GetAdjointDerivative fmi3FullName(fmi3GetAdjointDerivative)
#define fmi3EvaluateDiscreteStates fmi3FullName(fmi3EvaluateDiscreteStates)
#define fmi3UpdateDiscreteStates fmi3FullName(fmi3UpdateDiscreteStates)
#define fmi3EnterContinuousTimeMode fmi3FullName(fmi3EnterContinuousTimeMode)
#define fmi3CompletedIntegratorStep fmi3FullName(fmi3CompletedIntegratorStep)
#define fmi3SetTime fmi3FullName(fmi3SetTime)
#define fmi3SetContinuousStates fmi3FullName(fmi3SetContinuousStates)
#define fmi3GetContinuousStateDerivatives fmi3FullName(fmi3GetContinuousStateDerivatives)
#define fmi3GetEventIndicators fmi3FullName(fmi3GetEventIndicators)
#define fmi3GetContinuousStates fmi3FullName(fmi3GetContinuousStates)
#define fmi3GetNominalsOfContinuousStates fmi3FullName(fmi3GetNominalsOfContinuousStates)
#define fmi3GetNumberOfEventIndicators fmi3FullName(fmi3GetNumberOfEventIndicators)
#define fmi3GetNumberOfContinuousStates fmi3FullName(fmi3GetNumberOfContinuousStates)
#define fmi3EnterStepMode fmi3FullName(fmi3EnterStepMode)
#define fmi3GetOutputDerivatives fmi3FullName(fmi3GetOutputDerivatives)
#define fmi3DoStep fmi3FullName(fmi3DoStep)
#define fmi3ActivateModelPartition fmi3FullName(fmi3ActivateModelPartition)
#define fmi3GetFloat32 fmi3FullName(fmi3GetFloat32)
#define fmi3SetFloat32 fmi3FullName(fmi3SetFloat32)
#define fmi3GetInt8 fmi3FullName(fmi3GetInt8)
#define fmi3SetInt8 fmi3FullName(fmi3SetInt8)
#define fmi3GetUInt8 fmi3FullName(fmi3GetUInt8)
#define fmi3SetUInt8 fmi3FullName(fmi3SetUInt8)
#define fmi3GetInt16 fmi3FullName(fmi3GetInt16)
#define fmi3SetInt16 fmi3FullName(fmi3SetInt16)
#define fmi3GetUInt16 fmi3FullName(fmi3GetUInt16)
#define fmi3SetUInt16 fmi3FullName(fmi3SetUInt16)
#define fmi3GetInt32 fmi3FullName(fmi3GetInt32)
#define fmi3SetInt32 fmi3FullName(fmi3SetInt32)
#define fmi3GetUInt32 fmi3FullName(fmi3GetUInt32)
#define fmi3SetUInt32 fmi3FullName(fmi3SetUInt32)
#define fmi3GetInt64 fmi3FullName(fmi3GetInt64)
#define fmi3SetInt64 fmi3FullName(fmi3SetInt64)
#define fmi3GetUInt64 fmi3FullName(fmi3GetUInt64)
#define fmi3SetUInt64 fmi3FullName(fmi3SetUInt64)
#define fmi3GetBoolean fmi3FullName(fmi3GetBoolean)
#define fmi3SetBoolean fmi3FullName(fmi3SetBoolean)
#define fmi3GetString fmi3FullName(fmi3GetString)
#define fmi3SetString fmi3FullName(fmi3SetString)
#endif

#endif // fmi3Functions_h
